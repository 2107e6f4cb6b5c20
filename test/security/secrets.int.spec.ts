import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { serviceScopes, staffRoles } from "@hostledger/core";
import { withAppend, type EventStore, type EventToAppend } from "@hostledger/store";
import { fingerprintOf } from "@hostledger/gateway/testing";
import { openSqliteSubjectKeys, sealPersonalData, type SubjectKeys } from "@hostledger/store/personal-data";
import { audit } from "@hostledger/protocol";
import { callPermissions, staffPermissions } from "@hostledger/rpc";
import { createLogger } from "@hostledger/runtime";
import { directoryOfSuite, virtualClock } from "@hostledger/runtime/testing";
import { entriesPath } from "@hostledger/audit/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance, type InstanceOptions } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";
import { openShop } from "../support/shop.ts";
import { customerAt, type Customer } from "../support/staff-client.ts";

/**
 * Plants customers' secrets (API keys, webhook secrets, transfer codes) in every way in which they can be stored,
 * also by earlier versions. No reader of events, exports, pages or logs sees one.
 */

const oldRequest = { "idempotency-key": "answered-by-an-earlier-version" };
const authCode = "planted-auth-code-4711";
const receiverToken = "planted-token-of-a-receiver";
/** A hash that a reader could compute for a guessed code: a stored equal value would confirm the guess. */
const guessedFingerprint = fingerprintOf({
  method: "post",
  path: "/domains/transfer",
  params: {},
  body: { domain: "elsewhere-keyed.com", auth_code: authCode },
});
const clock = virtualClock();
const secrets: string[] = [authCode, receiverToken];
/** Lines of the program's own log. */
const lines: string[] = [];
let instance: Instance;
let owner: Customer;
let oldKey: string;
let exposedKeyId: number;

beforeAll(async () => {
  const data = directoryOfSuite();
  let keys: SubjectKeys | undefined;
  const options: InstanceOptions = {
    data,
    clock,
    environment: {
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_READERS: "anyone",
      HOSTLEDGER_STAFF_RECOVERY: "on",
    },
    logger: createLogger({ level: "trace", sink: { write: (line) => void lines.push(line) } }),
  };
  // An earlier version kept the answer with the key itself.
  const withOldAnswer = (store: EventStore): EventStore =>
    withAppend(store, (stream, expected, events) =>
      keys === undefined || !events.some(({ type }) => type.startsWith("RequestAnswered."))
        ? store.append(stream, expected, events)
        : sealPersonalData(store, keys).append(stream, expected, events.map(withKey(stream))),
    );
  const shop = await openShop({ ...options, decorate: { store: withOldAnswer } });
  ({ owner } = shop);
  const { staff } = shop.instance;
  oldKey = (await staff.accounts.issueApiKey({ accountId: BigInt(owner.accountId) })).apiKey;
  secrets.push(owner.apiKey, oldKey, guessedFingerprint);
  keys = openSqliteSubjectKeys({ path: join(data, "subject-keys.sqlite") });
  exposedKeyId = Number(objectOf((await owner.post("/keys", {}, oldRequest)).body).id);
  await keys.close();
  keys = undefined;
  await plantSecrets();
  // Another process has no answer in its memory.
  await shop.close();
  instance = await startInstance(options);
  owner = customerAt(instance.baseUrl, owner);
});

afterAll(() => instance.close());

function withKey(stream: string): (event: EventToAppend) => EventToAppend {
  const name = `${String(owner.accountId)}\0${oldRequest["idempotency-key"]}`;
  expect(stream).toBe(`request-${createHash("sha256").update(name).digest("hex")}`);
  return (event) => {
    const shown = { label: "", scopes: ["read"], expires_at: null, addresses: [], created_at: clock.now() };
    const body = JSON.stringify({ id: 9, key: oldKey, ...shown });
    return { ...event, data: JSON.stringify({ ...objectOf(JSON.parse(event.data)), body }) };
  };
}

async function plantSecrets(): Promise<void> {
  const url = `https://hooks.example.net/${receiverToken}`;
  for (const header of [undefined, { "idempotency-key": "keyed" }]) {
    const key = await owner.post("/keys", { label: "planted" }, header);
    const name = header === undefined ? "plain" : "keyed";
    const webhook = await owner.post("/webhooks", { url }, header && { "idempotency-key": `${name}-hook` });
    const id = String(objectOf(webhook.body).id);
    const rotated = await owner.post(
      `/webhooks/${id}/rotate`,
      {},
      header && { "idempotency-key": `${name}-rotation` },
    );
    const domain = `elsewhere-${name}.com`;
    const transfer = await owner.post(
      "/domains/transfer",
      { domain, auth_code: authCode },
      header && { "idempotency-key": `${name}-transfer` },
    );
    expect(transfer).toMatchObject({ status: 422, body: { code: "invalid_auth_code" } });
    secrets.push(String(objectOf(key.body).key));
    for (const answer of [webhook, rotated]) secrets.push(String(objectOf(answer.body).secret));
  }
  expect(secrets.every((secret) => secret.length > 20)).toBe(true);
}

/** The secrets that are in an answer, also where bytes of it are written in base64. */
function secretsIn(answer: string): readonly string[] {
  const decoded = [...answer.matchAll(/[A-Za-z0-9+/_-]{24,}={0,2}/gu)].map(([text]) =>
    Buffer.from(text, "base64").toString("latin1"),
  );
  const text = [answer, ...decoded].join("\n");
  return secrets.filter((secret) => text.includes(secret));
}

/** Values of request fields, by name. */
const asked: Readonly<Record<string, unknown>> = {
  accountId: 1n,
  domain: "elsewhere-keyed.com",
  invoiceId: 1n,
  ticketId: 1n,
  serverId: 1n,
  keyId: 1n,
  stream: "webhook-1",
};

/** An address and a credential of a reader. */
interface Door {
  readonly baseUrl: string;
  readonly credential: string;
}

/** Calls the methods of a service that read, with nothing asked and with as much as is known. @returns the answers by method. */
async function readEverything(service: DescService, door: Door): Promise<ReadonlyMap<string, string>> {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${door.credential}`);
    return next(request);
  };
  const transport = createConnectTransport({ ...door, httpVersion: "1.1", interceptors: [authorize] });
  const client: object = createClient(service, transport);
  const answers = new Map<string, string>();
  for (const { name, localName, input } of service.methods.filter(isReading)) {
    const known = input.fields.flatMap((field): [string, unknown][] =>
      field.localName in asked ? [[field.localName, asked[field.localName]]] : [],
    );
    const more = name === "ReadEvents" ? [{ asStored: true }, { withDamage: true }] : [];
    for (const request of [{}, Object.fromEntries(known), ...more]) {
      const answer = await textOf(Reflect.get(client, localName), request).catch(String);
      answers.set(name, `${answers.get(name) ?? ""}\n${answer}`);
    }
  }
  return answers;
}

/** Returns true for methods that only read: without changes, and without new secrets in the answer. */
function isReading({ name, parent }: DescMethod): boolean {
  return parent === audit.AuditService || /^(Get|List|Show|Fetch|Read|Resolve|Search|Find)/u.test(name);
}

async function textOf(method: unknown, request: object): Promise<string> {
  if (typeof method !== "function") throw new Error("no such method");
  const answer: unknown = Reflect.apply(method, undefined, [request]);
  const messages: unknown[] = [];
  if (isStream(answer)) for await (const message of answer) messages.push(message);
  else messages.push(await answer);
  return JSON.stringify(messages, (_, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
  });
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

async function expectNoSecret(services: readonly DescService[], door: Door): Promise<string> {
  let all = "";
  for (const service of services)
    for (const [method, answer] of await readEverything(service, door)) {
      expect({ method, secrets: secretsIn(answer) }).toEqual({ method, secrets: [] });
      all += answer;
    }
  return all;
}

describe("no secret of a customer is shown to", () => {
  it.each(staffRoles)("staff with the role %s, in any answer", async (role) => {
    const { token } = await instance.staff.members.addStaffMember({ name: `reader.${role}`, role });
    const services = staffPermissions.map(({ service }) => service);
    const all = await expectNoSecret(services, { baseUrl: instance.adminUrl, credential: token });
    // Support reads no events.
    expect([role, all.includes("WebhookSecretRotated"), all.includes("[secret]")]).toEqual(
      role === "support" ? [role, false, false] : [role, true, true],
    );
  });

  it("an auditor, by RPC, in the entries of the log, and on the console's pages", async () => {
    const { credential } = await instance.staff.auditors.issueAuditorCredential({ name: "Ada", days: 7 });
    const { origin } = new URL(instance.baseUrl);
    const all = await expectNoSecret([audit.AuditService], { baseUrl: `${origin}/audit/rpc`, credential });
    expect(all).toContain('\\"secret\\":\\"[secret]\\"');
    expect(all).toContain('\\"authCode\\":\\"[secret]\\"');
    expect(all).toContain('\\"body\\":\\"[secret]\\"');
    const headers = { authorization: `Bearer ${credential}` };
    for (const path of [entriesPath(0), entriesPath(0, 64)]
      .map((path) => `/audit/log/${path}`)
      .concat("/audit/")) {
      const response = await fetch(origin + path, { headers });
      expect([path, secretsIn(Buffer.from(await response.arrayBuffer()).toString("latin1"))]).toEqual([
        path,
        [],
      ]);
    }
  });

  it("an internal team with every scope", async () => {
    const { credential } = await instance.staff.teams.issueServiceCredential({
      name: "all",
      scopes: [...serviceScopes],
    });
    const services = callPermissions.map(({ service }) => service);
    const all = await expectNoSecret(services, { baseUrl: instance.rpcUrl, credential });
    expect(all).toContain("Owner");
  });

  it("a reader of the whole store over EventStoreDB's protocol, or of its export", async () => {
    const file = join(instance.data, "facts.ndjson");
    const address = instance.esdbUrl ?? "";
    const exported = await hostledgerInProcess({}, "store", "export", file, "--event-store", address);
    expect(exported).toMatchObject({ code: 0 });
    const events = readFileSync(file, "utf8");
    expect(events).toContain("WebhookSecretRotated");
    expect(secretsIn(events)).toEqual([]);
  });

  it("the operator, in the program's log at its most talkative", () => {
    expect(lines.length).toBeGreaterThan(50);
    expect(secretsIn(lines.join("\n"))).toEqual([]);
  });
});

describe("a request that is repeated under its Idempotency-Key", () => {
  it("is known again by its code, which readers of events cannot confirm", async () => {
    const header = { "idempotency-key": "keyed-transfer" };
    const transfer = (code: string) =>
      owner.post("/domains/transfer", { domain: "elsewhere-keyed.com", auth_code: code }, header);
    const repeated = await transfer(authCode);
    expect(repeated).toMatchObject({ status: 422, body: { code: "invalid_auth_code" } });
    expect(repeated.headers.get("idempotency-replayed")).toBe("true");
    expect(await transfer("another code")).toMatchObject({
      status: 422,
      body: { code: "idempotency_conflict" },
    });
  });

  it("is answered without the secret, which is nowhere any more", async () => {
    const again = { status: 201, body: { key: null, label: "planted" } };
    const header = { "idempotency-key": "keyed" };
    expect(await owner.post("/keys", { label: "planted" }, header)).toMatchObject(again);
    const url = `https://hooks.example.net/${receiverToken}`;
    const webhook = await owner.post("/webhooks", { url }, { "idempotency-key": "keyed-hook" });
    expect(webhook).toMatchObject({ status: 201, body: { url, secret: null } });
    const rotation = `/webhooks/${String(objectOf(webhook.body).id)}/rotate`;
    const rotated = await owner.post(rotation, {}, { "idempotency-key": "keyed-rotation" });
    expect(rotated).toMatchObject({ status: 200, body: { url, secret: null } });
  });

  it("is answered without it also if an earlier version stored it", async () => {
    const answer = await owner.post("/keys", {}, oldRequest);
    expect(answer).toMatchObject({ status: 201, body: { id: 9, key: null } });
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
  });

  it("names the key whose answer could once be read to staff, until it is revoked", async () => {
    const exposed = () => commandInProcess(instance, clock, "admin", "key", "list", "--exposed");
    expect(await exposed()).toMatchObject({
      code: 0,
      document: [{ account_id: owner.accountId, key_id: exposedKeyId, revoked_at: null }],
    });
    await instance.staff.accounts.revokeApiKey({ keyId: BigInt(exposedKeyId) });
    expect(await exposed()).toMatchObject({ code: 0, document: [] });
  });
});
