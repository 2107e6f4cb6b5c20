import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { EventStore } from "@hostledger/store";
import { openSandbox, type Sandbox } from "@hostledger/providers";
import { serveRegistry, type RegistryServer } from "@hostledger/providers/epp/server";
import { createLogger, systemClock } from "@hostledger/runtime";
import { certify, makeAuthority } from "@hostledger/runtime/certificates";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readEvents } from "../support/books.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { restClient, type RestClient } from "../support/rest-client.ts";

/** A registry that refuses the password: what the customer and staff see, and that nothing is charged. */

const password = "canary-password";
const accounts = new Map([["sandbox", password]]);
const directory = temporaryDirectory();
const lines: string[] = [];
let sandbox: Sandbox;
let serve: (port: number) => Promise<RegistryServer>;
let registry: RegistryServer;
let store: EventStore;
let instance: Instance;
let customer: RestClient;

beforeAll(async () => {
  const clock = systemClock();
  const authority = await makeAuthority("test registry CA");
  const ca = join(directory.path, "ca.pem");
  writeFileSync(ca, authority.certificate);
  sandbox = openSandbox({ path: ":memory:", clock, latencyMs: 0, limboMs: 60_000 });
  const tls = await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] });
  serve = (port) => serveRegistry({ sandbox, clock, accounts, tls, port });
  registry = await serve(0);
  instance = await startInstance({
    decorate: { store: (opened) => (store = opened) },
    logger: createLogger({ level: "trace", sink: { write: (line) => lines.push(line) } }),
    environment: {
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: registry.url,
      HOSTLEDGER_EPP_USER: "sandbox",
      HOSTLEDGER_EPP_PASSWORD: password,
      HOSTLEDGER_EPP_CA: ca,
    },
  });
  customer = restClient(instance.baseUrl, (await instance.openDemo())?.apiKey ?? "");
});

afterAll(async () => {
  await instance.close();
  await registry.close();
  sandbox.close();
  directory.remove();
});

const refusedLogin = /The registry refuses the login: 2501 Authentication error/u;

async function providerTickets(): Promise<readonly string[]> {
  const { tickets } = await instance.staff.support.listAllTickets({});
  return tickets.map(({ ticket }) => ticket?.title ?? "").filter((title) => title.includes("2501"));
}

it("the service shows code and text of a refused login to staff: in the log, the run and one ticket", async () => {
  const bought = await customer.post("/domains", { domain: "kept.com" });
  expect(bought.status).toBe(201);
  const balance = async () => (await customer.get("/billing/balance")).body;
  const before = await balance();
  accounts.set("sandbox", "another-password");
  // Open sessions end: the next command has to log in.
  await registry.close();
  registry = await serve(registry.port);
  const renew = () => customer.post("/domains/kept.com/renew", { years: 1 });
  await expect
    .poll(
      async () => {
        const answer = await renew();
        expect(answer).toMatchObject({ status: 500, body: { code: "registrar_failed" } });
        expect(JSON.stringify(answer.body)).not.toMatch(/2200|2501/u);
        return lines.some((line) => refusedLogin.test(line));
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  expect(await balance()).toEqual(before);
  expect(lines.join("\n")).not.toContain(password);
  const streams = (await readEvents(store)).map(({ stream }) => stream);
  const run = streams.findLast((stream) => stream.startsWith("renewal-")) ?? "";
  const { steps } = await instance.staff.domains.showRun({ run });
  expect(steps.map(({ reason }) => reason)).toContainEqual(expect.stringMatching(refusedLogin));
  await expect.poll(providerTickets).toHaveLength(1);
});

it("the service uses the registrar again after the password was corrected", async () => {
  accounts.set("sandbox", password);
  await expect
    .poll(async () => (await customer.post("/domains/kept.com/renew", { years: 1 })).status, {
      timeout: 60_000,
    })
    .toBe(200);
});
