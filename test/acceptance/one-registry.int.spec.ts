import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openSandbox, type Sandbox } from "@hostledger/providers";
import { serveRegistry, type RegistryServer } from "@hostledger/providers/epp/server";
import { certify, makeAuthority } from "@hostledger/runtime/certificates";
import { systemClock } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf } from "../support/matchers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { restClient, type RestClient } from "../support/rest-client.ts";

/** Several installations at one registry, as a test instance before production is, or one that begins again with an empty directory. */

const directory = temporaryDirectory();
const passwords = { sandbox: "password-of-the-first", sandbox2: "password-of-the-second" };
let sandbox: Sandbox;
let registry: RegistryServer;
let ca: string;
const instances: Instance[] = [];

beforeAll(async () => {
  const clock = systemClock();
  const authority = await makeAuthority("test registry CA");
  ca = join(directory.path, "ca.pem");
  writeFileSync(ca, authority.certificate);
  sandbox = openSandbox({ path: ":memory:", clock, latencyMs: 0, limboMs: 60_000 });
  registry = await serveRegistry({
    sandbox,
    clock,
    accounts: new Map(Object.entries(passwords)),
    tls: await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] }),
  });
});

afterAll(async () => {
  for (const instance of instances) await instance.close();
  await registry.close();
  sandbox.close();
  directory.remove();
});

/** Starts an installation with its own data, whose first customer has this name. */
async function install(user: keyof typeof passwords, name: string): Promise<RestClient> {
  const instance = await startInstance({
    environment: {
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: registry.url,
      HOSTLEDGER_EPP_USER: user,
      HOSTLEDGER_EPP_PASSWORD: passwords[user],
      HOSTLEDGER_EPP_CA: ca,
      HOSTLEDGER_PROVIDER_TIMEOUT_MS: "60000",
    },
  });
  instances.push(instance);
  const customer = restClient(instance.baseUrl, (await instance.openDemo())?.apiKey ?? "");
  const profile = {
    kind: "person",
    name,
    street: "Main Road 1",
    postal_code: "10115",
    city: "Berlin",
    country: "DE",
    email: "customer@example.net",
    phone: "+49.301234567",
  };
  expect(await customer.put("/account", profile)).toMatchObject({ status: 200 });
  return customer;
}

/** Returns the registry's contact of a domain. */
function registrantOf(domain: string) {
  const registrant = sandbox.registry.domain(domain)?.details.registrant ?? "";
  return sandbox.registry.contact(registrant)?.postal[0];
}

/** The name of the person that a domain is registered to. */
function holderOf(domain: string): string | undefined {
  return registrantOf(domain)?.name;
}

describe("several installations at one registry", () => {
  it("register names for their own customers, with separate logins and with one login", async () => {
    const production = await install("sandbox", "Ada of production");
    const testing = await install("sandbox2", "Bob of the test instance");
    const again = await install("sandbox", "Cem of the fresh start");
    for (const [customer, domain] of [
      [production, "production-1.com"],
      [testing, "testing-1.com"],
      [again, "again-1.com"],
    ] as const)
      expect(await customer.post("/domains", { domain })).toMatchObject({ status: 201 });
    expect(["production-1.com", "testing-1.com", "again-1.com"].map(holderOf)).toEqual([
      "Ada of production",
      "Bob of the test instance",
      "Cem of the fresh start",
    ]);
    // The fresh start's orders count from one again: the first one's name is not taken for its own.
    const balance = async () => (await again.get("/billing/balance")).body;
    const before = await balance();
    expect((await again.post("/domains", { domain: "production-1.com" })).status).toBe(422);
    expect(await balance()).toEqual(before);
    expect(holderOf("production-1.com")).toBe("Ada of production");
  });

  it("register names for a person without the organisation after the account's kind changed to person", async () => {
    // The demo's customer is Demo GmbH; the profile names a person, and says nothing of the organisation.
    const customer = await install("sandbox", "Eva Person");
    expect((await customer.get("/account")).body).toMatchObject({
      kind: "person",
      name: "Eva Person",
      organisation: null,
      vat_id: null,
    });
    const bought = await customer.post("/domains", { domain: "eva-person.com" });
    expect(bought).toMatchObject({ status: 201 });
    expect(registrantOf("eva-person.com")).toMatchObject({ name: "Eva Person" });
    expect(registrantOf("eva-person.com")?.organisation).toBeUndefined();
    const [{ id } = { id: 0 }] = itemsOf((await customer.get("/billing/invoices?order=desc&limit=1")).body);
    const { body } = await customer.get(`/billing/invoices/${String(id)}.xml`);
    expect(JSON.stringify(body)).toContain("Eva Person");
    expect(JSON.stringify(body)).not.toContain("Demo GmbH");
  });

  it("keep a created name even if it cannot be read or has no expiry date (RFC 5731)", async () => {
    const customer = await install("sandbox2", "Dora");
    const year = new Date().getUTCFullYear();
    for (const domain of ["unread-1.com", "noexdate-1.com"]) {
      const answer = await customer.post("/domains", { domain, years: 2 });
      expect(answer).toMatchObject({
        status: 201,
        body: {
          domain: { domain_name: domain, expiry_date: expect.stringContaining(String(year + 2)) as string },
        },
      });
      expect(sandbox.registry.domain(domain)?.sponsor).toBe("sandbox2");
    }
    const balance = async () => (await customer.get("/billing/balance")).body;
    const before = await balance();
    expect(JSON.stringify((await customer.get("/billing/invoices")).body)).not.toMatch(/correction/i);
    expect(await balance()).toEqual(before);
  });
});
