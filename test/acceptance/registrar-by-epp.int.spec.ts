import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openSandbox, type Sandbox } from "@hostledger/providers";
import { certify, makeAuthority, serveRegistry, type RegistryServer } from "@hostledger/providers/epp/server";
import { systemClock } from "@hostledger/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { restClient, type RestClient } from "../support/rest-client.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** An instance whose names are registered at a registry by EPP, as a customer meets it. */

const password = "canary-of-the-registry";
const directory = temporaryDirectory();
let sandbox: Sandbox;
let registry: RegistryServer;
let instance: Instance;
let customer: RestClient;

beforeAll(async () => {
  const clock = systemClock();
  const authority = await makeAuthority();
  const files = { ca: join(directory.path, "ca.pem"), password: join(directory.path, "password") };
  writeFileSync(files.ca, authority.certificate);
  writeFileSync(files.password, `${password}\n`);
  sandbox = openSandbox({ path: ":memory:", clock, latencyMs: 0, limboMs: 60_000 });
  registry = await serveRegistry({
    ...{ sandbox, clock, accounts: new Map([["sandbox", password]]) },
    tls: await certify(authority, "127.0.0.1"),
  });
  instance = await startInstance({
    environment: {
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
  sandbox.close();
  directory.remove();
});

const held = (name: string) => sandbox.registrar.inquire(name);

it("registers a name there, delegates, locks and tells its code", async () => {
  const answer = await customer.post("/domains", { domain: "epp-1.com", years: 2 });
  expect(answer).toMatchObject({
    status: 201,
    body: { domain: { domain_name: "epp-1.com", provider: "Registry of the test" } },
  });
  expect(await held("epp-1.com")).toMatchObject({ value: { held: true, domain: { transferLock: true } } });
  expect(JSON.stringify(answer.body)).not.toContain(password);
});

it("refuses a premium name before it is charged, and does not offer it (RFC 8748)", async () => {
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

it("charges for a name whose answer was lost, and gives the money back for one that was not registered", async () => {
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
