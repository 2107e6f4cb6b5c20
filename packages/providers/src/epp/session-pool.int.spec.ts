import { afterEach, describe, expect, it } from "vitest";

import { manualClock } from "@hostledger/runtime";

import { checkDomain, deleteDomain } from "./domain-commands.ts";
import { encodeFrame } from "./frames.ts";
import { namespaces } from "./namespaces.ts";
import {
  certificateFor,
  framed,
  greeting,
  idOf,
  response,
  ScriptedServer,
  type Script,
  type Scripted,
} from "./scripted-server.fixture.ts";
import { EppClient, type EppOptions } from "./session-pool.ts";
import { childOf, descendantOf, type XmlElement } from "./xml.ts";

const { epp, domain } = namespaces;
const question = checkDomain("a.example");
const order = deleteDomain("a.example");
const password = "canary-password";
const closing: (() => Promise<void>)[] = [];

async function connected(script: Script = {}, options: Partial<EppOptions> = {}) {
  const server = new ScriptedServer(script);
  const port = await server.start();
  const client = new EppClient({
    server: { host: "localhost", port, ca: server.ca },
    user: "registrar",
    password,
    sessions: 2,
    timeLimitMs: 10_000,
    ...options,
  });
  closing.push(
    () => client.close(),
    () => server.close(),
  );
  return { server, client, port };
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const foreignCertificate = await certificateFor("other.example");
const expiredCertificate = await certificateFor("localhost", Date.now() - 1_000);

const header = (length: number): Uint8Array => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
};
const bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><epp>&b;</epp>';
const foreign = (command: XmlElement): Scripted =>
  framed(response(1000, idOf(command)).replaceAll(epp, "urn:other"));

describe("sessions with a registry", () => {
  it("log in with the common services of greeting and client, and log out", async () => {
    const { server, client } = await connected({
      greeting: framed(greeting([domain, namespaces.contact, "urn:unheard-of"])),
    });
    expect(await client.ask(question, "order-1")).toMatchObject({
      kind: "answered",
      response: { code: 1000, clientTransactionId: "order-1" },
    });
    await client.close();
    const commands = server.received.map((command) => childOf(command, epp, "command")?.children[0]);
    expect(commands.map((command) => command?.name)).toEqual(["login", "check", "logout"]);
    const services = commands[0] && descendantOf(commands[0], epp, "svcs");
    expect(services?.children.map(({ text }) => text)).toEqual([domain, namespaces.contact]);
    expect(await client.ask(question)).toMatchObject({ kind: "not-sent" });
  });

  it("are limited, and reused", async () => {
    const { server, client } = await connected();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.ask(question)));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["answered"]));
    expect(server.connections).toBe(2);
  });

  it("send hello while they are idle", async () => {
    const clock = manualClock("2026-11-22T00:00:00Z");
    const { server, client } = await connected({}, { timing: clock, keepAliveMs: 1_000 });
    await client.ask(question);
    clock.advance(1_000);
    const hellos = () => server.received.filter((sent) => childOf(sent, epp, "hello") !== undefined);
    await expect.poll(hellos).toHaveLength(1);
    expect(await client.ask(question)).toMatchObject({ kind: "answered" });
    expect(server.connections).toBe(1);
  });

  it("are opened again when the server has closed them", async () => {
    const { server, client } = await connected({}, { sessions: 1 });
    await client.ask(question);
    server.dropAll();
    await expect.poll(() => client.ask(question)).toMatchObject({ kind: "answered" });
    expect(server.connections).toBeGreaterThan(1);
  });

  it.each([
    ["the connection is lost", () => ({ closes: true })],
    [
      "the server gives up (2500)",
      (command: XmlElement) => ({ ...framed(response(2500, idOf(command))), closes: true }),
    ],
  ])("repeat a question once over a new session if %s", async (_what, cut) => {
    let count = 0;
    const { server, client } = await connected({
      answer(command) {
        count += 1;
        return count === 2 ? cut(command) : framed(response(1000, idOf(command)));
      },
    });
    await client.ask(question);
    expect(await client.ask(question)).toMatchObject({ kind: "answered", response: { code: 1000 } });
    expect(server.connections).toBe(2);
  });

  it("ask a question no third time, and repeat nothing that is an order", async () => {
    const { server, client } = await connected({ answer: () => ({ closes: true }) });
    expect(await client.ask(question)).toMatchObject({ kind: "unanswered" });
    expect(server.connections).toBe(2);
    expect(await client.ask(order)).toMatchObject({ kind: "unanswered" });
    expect(server.connections).toBe(3);
  });

  it("wait for a place when the server has no more for us (2502)", async () => {
    let logins = 0;
    const { client } = await connected({
      login: (command) => {
        logins += 1;
        return { ...framed(response(logins < 3 ? 2502 : 1000, idOf(command))), closes: logins < 3 };
      },
    });
    expect(await client.ask(question)).toMatchObject({ kind: "answered" });
    expect(logins).toBe(3);
  });

  it("end with an answer of the codes 25xx", async () => {
    const { server, client } = await connected({
      answer: (command) => framed(response(2500, idOf(command))),
    });
    await client.ask(order);
    await client.ask(order);
    expect(server.connections).toBe(2);
  });
});

describe("what comes from a registry and cannot be believed", () => {
  it.each<[string, (command: XmlElement) => Scripted, RegExp]>([
    ["10 MB of XML", () => framed10Mb(), /too long/],
    ["a frame of 4 GB by its header", () => ({ bytes: header(0xff_ff_ff_ff) }), /too long/],
    ["half a frame", (c) => halved(response(1000, idOf(c))), /middle of a frame/],
    ["nothing, and the end", () => ({ closes: true }), /closed the connection/],
    ["an entity bomb", () => framed(bomb), /DOCTYPE/],
    ["wrong namespaces", foreign, /not EPP 1\.0/],
    ["a greeting", () => framed(greeting()), /not EPP 1\.0 with a <response>/],
    ["HTML", () => framed("<html><body>Maintenance</body></html>"), /not EPP/],
    ["no XML", () => framed("maintenance"), /not well-formed/],
    ["no code", (c) => framed(response(0, idOf(c))), /no result/],
    ["an answer to another command", () => framed(response(1000, "another")), /another command/],
    ["an answer to nobody's command", () => framed(response(1000, undefined)), /another command/],
  ])("%s leaves the outcome unknown, and ends the session", async (_, answer, why) => {
    let commands = 0;
    const { server, client } = await connected({
      answer: (command) => {
        commands += 1;
        return commands === 1 ? answer(command) : framed(response(1000, idOf(command)));
      },
    });
    const asked = await client.ask(order);
    expect(asked).toMatchObject({ kind: "unanswered", message: expect.stringMatching(why) as unknown });
    expect(await client.ask(question)).toMatchObject({ kind: "answered" });
    expect(server.connections).toBe(2);
  });

  it("silence is waited for so long and no longer", async () => {
    const clock = manualClock("2026-11-22T00:00:00Z");
    const { server, client } = await connected({ answer: () => ({}) }, { timing: clock, timeLimitMs: 1e9 });
    const asking = client.ask(question);
    await expect.poll(() => server.received).toHaveLength(2);
    clock.advance(1e9);
    expect(await asking).toEqual({ kind: "unanswered", message: "The answer did not come in time." });
  });

  it("a command that waited for a session for the time of an answer is not sent", async () => {
    const clock = manualClock("2026-11-22T00:00:00Z");
    const limits = { timing: clock, timeLimitMs: 1e9, sessions: 1 };
    const { server, client } = await connected({ answer: () => ({}) }, limits);
    const asking = [client.ask(question), client.ask(question)];
    await expect.poll(() => server.received).toHaveLength(2);
    clock.advance(1e9);
    expect(await Promise.all(asking)).toMatchObject([
      { kind: "unanswered" },
      { kind: "not-sent", message: "No session was free in time." },
    ]);
    expect(server.received).toHaveLength(2);
  });

  it.each<[string, Script, RegExp]>([
    [
      "a greeting without domains",
      { greeting: framed(greeting([namespaces.host])) },
      /does not offer .*domain/,
    ],
    ["a greeting that is none", { greeting: framed("<html/>") }, /not EPP/],
    ["a greeting of 4 GB", { greeting: { bytes: header(0xff_ff_ff_ff) } }, /too long/],
    ["a refused login", { login: (c) => framed(response(2200, idOf(c))) }, /refuses the login: 2200/],
    ["a certificate for another name", { certificate: foreignCertificate }, /other\.example|altnames/],
    ["an expired certificate", { certificate: expiredCertificate }, /expired/],
  ])("%s: the command is not sent", async (_, script, why) => {
    const { client } = await connected(script);
    const asked = await client.ask(question);
    expect(asked).toMatchObject({ kind: "not-sent", message: expect.stringMatching(why) as unknown });
  });

  it("a registry that does not run: the command is not sent", async () => {
    const { server, client } = await connected();
    await server.close();
    closing.pop();
    expect(await client.ask(question)).toMatchObject({
      kind: "not-sent",
      message: expect.stringMatching(/ECONNREFUSED/) as unknown,
    });
  });

  it("a secret in a server's truncated text is not shown in part", async () => {
    const words = `${"long ".repeat(58)}canary-code`;
    const { client } = await connected({
      answer: (command: XmlElement) => framed(response(2202, idOf(command), undefined, words)),
    });
    const asked = await client.ask({ ...question, secrets: ["canary-code"] });
    expect(JSON.stringify(asked)).not.toContain("canary");
  });

  it("secrets that a server repeats are hidden", async () => {
    const says = (command: XmlElement) =>
      framed(response(2200, idOf(command), undefined, `No: ${password}, canary-code`));
    const { client } = await connected({ login: says });
    expect(JSON.stringify(await client.ask(question))).not.toContain(password);
    const { client: other } = await connected({ answer: says });
    const asked = await other.ask({ ...question, secrets: ["canary-code"] });
    expect(asked).toMatchObject({ response: { message: "No: (hidden), (hidden)" } });
  });
});

/** A frame of 10 MB, which the client must refuse by its announced length. */
function framed10Mb(): Scripted {
  const xml = Buffer.from(`<epp>${"x".repeat(10_000_000)}</epp>`);
  return { bytes: Buffer.concat([header(xml.length + 4), xml]) };
}

function halved(xml: string): Scripted {
  return { bytes: encodeFrame(xml).subarray(0, 40), closes: true };
}
