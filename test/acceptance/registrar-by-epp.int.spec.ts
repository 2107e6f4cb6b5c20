import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openSandbox, type Sandbox } from "@hostledger/providers";
import { serveRegistry, type RegistryServer } from "@hostledger/providers/epp/server";
import { certify, makeAuthority } from "@hostledger/runtime/certificates";
import { createLogger, systemClock } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";

import { startInstance, type Instance } from "../support/instance.ts";
import { restClient, type RestClient } from "../support/rest-client.ts";

/** An instance whose names are registered at a registry by EPP, as a customer meets it. */

const password = "canary-of-the-registry";
const otherPassword = "canary-of-the-second";
const directory = temporaryDirectory();
let sandbox: Sandbox;
let registry: RegistryServer;
let otherSandbox: Sandbox;
let otherRegistry: RegistryServer;
const lines: string[] = [];
let instance: Instance;
let customer: RestClient;

beforeAll(async () => {
  const clock = systemClock();
  const authority = await makeAuthority("test registry CA");
  const files = { ca: join(directory.path, "ca.pem"), password: join(directory.path, "password") };
  writeFileSync(files.ca, authority.certificate);
  writeFileSync(files.password, `${password}\n`);
  sandbox = openSandbox({ path: ":memory:", clock, latencyMs: 0, limboMs: 60_000 });
  registry = await serveRegistry({
    sandbox,
    clock,
    accounts: new Map([["sandbox", password]]),
    tls: await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] }),
  });
  otherSandbox = openSandbox({ path: ":memory:", clock, latencyMs: 0, limboMs: 60_000 });
  otherRegistry = await serveRegistry({
    sandbox: otherSandbox,
    clock,
    accounts: new Map([["sandbox", otherPassword]]),
    tls: await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] }),
  });
  const registrars = join(directory.path, "registrars.json");
  const passwordFile = join(directory.path, "other-password");
  writeFileSync(passwordFile, otherPassword);
  const second = { adapter: "epp", url: otherRegistry.url, user: "sandbox", passwordFile, ca: files.ca };
  writeFileSync(registrars, JSON.stringify({ "Second registry": second }));
  instance = await startInstance({
    logger: createLogger({ level: "trace", sink: { write: (line) => lines.push(line) } }),
    environment: {
      HOSTLEDGER_REGISTRARS_FILE: registrars,
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: registry.url,
      HOSTLEDGER_EPP_USER: "sandbox",
      HOSTLEDGER_EPP_PASSWORD_FILE: files.password,
      HOSTLEDGER_EPP_CA: files.ca,
      HOSTLEDGER_EPP_NAME: "Registry of the test",
      HOSTLEDGER_PROVIDER_TIMEOUT_MS: "60000",
    },
  });
  customer = restClient(instance.baseUrl, (await instance.openDemo())?.apiKey ?? "");
});

afterAll(async () => {
  await instance.close();
  await registry.close();
  await otherRegistry.close();
  sandbox.close();
  otherSandbox.close();
  directory.remove();
});

const held = (name: string) => sandbox.registrar.inquire(name);

it("the service registers a name, delegates and locks it, and shows its auth code", async () => {
  const answer = await customer.post("/domains", { domain: "epp-1.com", years: 2 });
  expect(answer).toMatchObject({
    status: 201,
    body: { domain: { domain_name: "epp-1.com", provider: "Registry of the test" } },
  });
  expect(await held("epp-1.com")).toMatchObject({ value: { held: true, domain: { transferLock: true } } });
  expect(JSON.stringify(answer.body)).not.toContain(password);
});

it("the service refuses a premium name before the charge and does not offer it (RFC 8748)", async () => {
  const balance = async () => (await customer.get("/billing/balance")).body;
  const before = await balance();
  expect(await customer.get("/domains/search?domain=premium-1.com")).toMatchObject({
    status: 200,
    body: { available: false },
  });
  const answer = await customer.post("/domains", { domain: "premium-1.com", years: 1 });
  expect(answer).toMatchObject({ status: 422, body: { code: "premium_name" } });
  expect(await balance()).toEqual(before);
});

it("the service charges for a registered name whose answer was lost, and refunds a name that was not registered", async () => {
  const balance = async () => (await customer.get("/billing/balance")).body;
  const before = await balance();
  const refused = await customer.post("/domains", { domain: "code2306-1.com", years: 1 });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await balance()).toEqual(before);
  expect(await held("code2306-1.com")).toMatchObject({ value: { held: false } });
  const lost = await customer.post("/domains", { domain: "cutafter-1.com", years: 1 });
  expect(lost.status).toBe(201);
  expect(await held("cutafter-1.com")).toMatchObject({ value: { held: true } });
  expect(await balance()).not.toEqual(before);
});

it("the service uses two registries at once over TLS, each for its own extensions", async () => {
  const prices = { registrationCents: 1_200n, renewalCents: 1_300n, transferCents: 1_200n, active: true };
  await instance.staff.domains.setPrice({ tld: "net", ...prices, registrar: "Second registry" });
  expect(await customer.post("/domains", { domain: "epp-2.net" })).toMatchObject({
    status: 201,
    body: { domain: { provider: "Second registry" } },
  });
  expect(await customer.post("/domains", { domain: "epp-2.com" })).toMatchObject({
    status: 201,
    body: { domain: { provider: "Registry of the test" } },
  });
  const heldAt = ({ registrar }: Sandbox) =>
    Promise.all(["epp-2.com", "epp-2.net"].map((name) => registrar.inquire(name)));
  expect(await heldAt(sandbox)).toMatchObject([{ value: { held: true } }, { value: { held: false } }]);
  expect(await heldAt(otherSandbox)).toMatchObject([{ value: { held: false } }, { value: { held: true } }]);
});

it("the service delegates a name to nameservers below itself, with addresses from the customer's records (RFC 5732)", async () => {
  await customer.post("/domains", { domain: "glue-1.com" });
  const nameservers = ["ns1.glue-1.com", "ns2.glue-1.com"];
  const own = { use_rdp_nameservers: false, nameservers };
  expect(await customer.put("/domains/glue-1.com/nameservers", own)).toMatchObject({
    status: 502,
    body: { status: false, error: expect.stringContaining("no A or AAAA record") as unknown },
  });
  expect((await customer.get("/domains/glue-1.com")).body).toMatchObject({ use_rdp_nameservers: true });
  for (const [name, value] of [
    ["ns1", "192.0.2.53"],
    ["ns2", "192.0.2.54"],
  ])
    await customer.post("/domains/glue-1.com/dns", { type: "A", name, value });
  expect(await customer.put("/domains/glue-1.com/nameservers", own)).toMatchObject({
    status: 200,
    body: { domain: { use_rdp_nameservers: false, nameservers } },
  });
  expect(await held("glue-1.com")).toMatchObject({ value: { domain: { nameservers } } });
});

it("the service logs neither passwords nor auth codes", async () => {
  const { body } = await customer.get("/domains/epp-1.com/auth-code");
  const { auth_code: code } = z.object({ auth_code: z.string() }).parse(body);
  await customer.post("/domains/transfer", { domain: "elsewhere-1.com", auth_code: "canary-code" });
  const logged = lines.join("");
  expect(logged).not.toBe("");
  expect(code.length).toBeGreaterThan(8);
  for (const secret of [password, otherPassword, code, "canary-code"]) expect(logged).not.toContain(secret);
});
