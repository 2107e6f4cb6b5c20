import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { anyNumber, anyText, anyTimestamp, itemsOf, objectOf, textMatching } from "../support/matchers.ts";
import type { RestClient } from "../support/rest-client.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Specification §4.1, `POST /domains`, as a customer meets it. */

let instance: Instance;
let count = 0;

/** Time passes while everybody waits: for a provider that does not answer, or that settles an order late. */
const clock = virtualClock();

beforeAll(async () => {
  instance = await startInstance({
    clock,
    environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400", HOSTLEDGER_SANDBOX_LIMBO_MS: "3000" },
  });
  await sell(instance.staff, "com");
  await sell(instance.staff, "de", 1_999n);
});

afterAll(() => instance.close());

const customer = (balanceCents = 10_000n, vatExempt = false): Promise<Customer> =>
  openCustomer(instance.staff, instance.baseUrl, { balanceCents, vatExempt });

/** Returns an unused name with a label that controls the sandbox. */
function freshName(label = "name", tld = "com"): string {
  count += 1;
  return `${label}-${String(count)}.${tld}`;
}

async function balanceOf(client: RestClient): Promise<unknown> {
  return (await client.get("/billing/balance")).body;
}

async function documentsOf(client: RestClient): Promise<ReturnType<typeof itemsOf>> {
  return itemsOf((await client.get("/billing/invoices")).body);
}

describe("POST /domains, if the registration succeeds", () => {
  it("charges the gross price, issues the invoice and answers the domain with its defaults", async () => {
    const client = await customer();
    const domain = freshName();
    const answer = await client.post("/domains", { domain, years: 2 });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      status: true,
      message: anyText,
      invoice_id: anyNumber,
      amount_charged: 23.8,
      years: 2,
      domain: {
        id: anyNumber,
        domain_name: domain,
        status: "active",
        provider: "sandbox",
        auto_renew: false,
        whois_privacy: true,
        lock_status: true,
        use_rdp_nameservers: true,
        nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
        registration_date: anyTimestamp,
        expiry_date: anyTimestamp,
        days_until_expiry: anyNumber,
        is_expiring_soon: false,
        renew_begins_at: null,
        hold_begins_at: anyTimestamp,
        deletes_at: anyTimestamp,
        dns_records_count: 2,
        created_at: anyTimestamp,
      },
    });
    expect(await balanceOf(client)).toEqual({ balance: "76.20" });
    const [, invoice] = await documentsOf(client);
    expect(invoice).toMatchObject({
      action: "purchase",
      netto: 20,
      brutto: 23.8,
      number: textMatching(/^\d{4}-\d+-000001$/),
    });
  });

  it("answers the domain with its default DNS records on a later GET", async () => {
    const client = await customer();
    const { body } = await client.post("/domains", { domain: freshName() });
    const { status, body: read } = await client.get(`/domains/${String(objectOf(objectOf(body).domain).id)}`);

    expect(status).toBe(200);
    const record = {
      id: anyNumber,
      type: "A",
      value: "192.0.2.10",
      ttl: 3600,
      priority: null,
      created_at: anyTimestamp,
    };
    expect(read).toMatchObject({
      dns_records_count: 2,
      dns_records: [
        { ...record, name: "@" },
        { ...record, name: "www" },
      ],
    });
  });

  it("rounds the VAT half up, once, and adds none for an exempt account", async () => {
    const taxed = await customer();
    const exempt = await customer(10_000n, true);
    // 3 × 19.99 = 59.97; 19 % of it is 11.3943.
    expect((await taxed.post("/domains", { domain: freshName("vat", "de"), years: 3 })).body).toMatchObject({
      amount_charged: 71.36,
    });
    expect((await exempt.post("/domains", { domain: freshName("vat", "de"), years: 3 })).body).toMatchObject({
      amount_charged: 59.97,
    });
  });

  it("stores the name in lower case and registers for one year without auto_renew by default", async () => {
    const client = await customer();
    const domain = freshName("MiXeD");
    const { body } = await client.post("/domains", { domain });
    expect(body).toMatchObject({
      years: 1,
      domain: { domain_name: domain.toLowerCase(), auto_renew: false },
    });
  });

  it("delegates the domain to the customer's nameservers if the request names some", async () => {
    const client = await customer();
    const nameservers = ["ns1.customer.example", "NS2.customer.example"];
    const { status, body } = await client.post("/domains", {
      domain: freshName("own"),
      nameservers,
      auto_renew: true,
    });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("warning");
    expect(body).toMatchObject({
      domain: {
        use_rdp_nameservers: false,
        nameservers: ["ns1.customer.example", "ns2.customer.example"],
        auto_renew: true,
        dns_records_count: 0,
      },
    });
  });
});

describe("POST /domains for the sandbox's scenario names", () => {
  const nothingCharged = { balance: "100.00" };

  it("taken: answers 422 and charges nothing", async () => {
    const client = await customer();
    expect(await client.post("/domains", { domain: freshName("taken") })).toMatchObject({
      status: 422,
      body: { status: false, code: "domain_not_available" },
    });
    expect(await balanceOf(client)).toEqual(nothingCharged);
    expect(await documentsOf(client)).toHaveLength(1);
  });

  it.each([
    { label: "refused", isUnanswered: false },
    { label: "offline", isUnanswered: false },
    { label: "timeout", isUnanswered: true },
  ])(
    "$label: answers 500, refunds, registers nothing, and frees the name at once or after the quiet period",
    async ({ label, isUnanswered }) => {
      const client = await customer();
      const domain = freshName(label);
      expect(await client.post("/domains", { domain })).toMatchObject({
        status: 500,
        body: { status: false, code: "registrar_failed" },
      });

      expect(await balanceOf(client)).toEqual(nothingCharged);
      expect(await documentsOf(client)).toMatchObject([
        { action: "topup" },
        { action: "purchase", brutto: 11.9, delivered: false },
        { action: "refund", brutto: -11.9 },
      ]);
      expect(await registrarNames()).not.toContain(domain);
      expect((await client.get("/domains")).body).toEqual([]);
      // After silence "not held" counts once it has been said again, because orders arrive late: until then it is 409.
      if (isUnanswered) expect(await client.post("/domains", { domain })).toMatchObject({ status: 409 });
      // Free again: the same answer as before, not "in flight".
      const isFree = async (): Promise<void> => {
        expect(await client.post("/domains", { domain })).toMatchObject({ status: 500 });
      };
      await (isUnanswered ? eventually(clock, isFree) : isFree());
    },
  );

  it("lost: the service asks the registrar, finds the order and answers 201", async () => {
    const client = await customer();
    const domain = freshName("lost");
    expect(await client.post("/domains", { domain })).toMatchObject({
      status: 201,
      body: { amount_charged: 11.9, domain: { dns_records_count: 2 } },
    });
    expect(await registrarNames()).toContain(domain);
  });

  it("limbo: answers 500 and refunds; the name stays 409 until the registrar answers that it has nothing", async () => {
    const client = await customer();
    const domain = freshName("limbo");
    expect(await client.post("/domains", { domain })).toMatchObject({ status: 500 });
    expect(await balanceOf(client)).toEqual(nothingCharged);
    expect(await client.post("/domains", { domain })).toMatchObject({
      status: 409,
      body: { code: "registration_in_flight" },
    });

    await eventually(clock, async () => {
      expect((await instance.staff.domains.listRuns({})).runs).toEqual([]);
    });
    expect(await registrarNames()).not.toContain(domain);
    expect(await client.post("/domains", { domain })).not.toMatchObject({ status: 409 });
  });

  it("nozone: answers 201 without records, and creates two records later", async () => {
    const client = await customer();
    const { status, body } = await client.post("/domains", { domain: freshName("nozone") });
    expect(status).toBe(201);
    expect(body).toMatchObject({ domain: { dns_records_count: 0 } });
    await eventually(clock, async () => {
      expect((await client.get("/domains")).body).toMatchObject([{ dns_records_count: 2 }]);
    });
  });

  it("badns: answers 201 with a warning, and the service's nameservers stay", async () => {
    const client = await customer();
    const nameservers = ["ns1.customer.example", "ns2.customer.example"];
    expect(await client.post("/domains", { domain: freshName("badns"), nameservers })).toMatchObject({
      status: 201,
      body: {
        warning: textMatching(/nameservers/),
        domain: {
          use_rdp_nameservers: true,
          nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
          dns_records_count: 2,
        },
      },
    });
  });

  async function registrarNames(): Promise<readonly string[]> {
    return (await instance.staff.domains.showSandbox({})).registrar.map(({ name }) => name);
  }
});

describe("POST /domains, if the registration is refused", () => {
  it("answers 400 if the balance does not cover the gross price", async () => {
    const client = await customer(1_189n);
    expect(await client.post("/domains", { domain: freshName() })).toMatchObject({
      status: 400,
      body: { status: false, error: anyText, required: 11.9, available: 11.89 },
    });
    expect((await client.get("/domains")).body).toEqual([]);
  });

  it("answers 201 after a 400 once the balance covers the price exactly", async () => {
    const client = await customer(1_190n);
    expect(await client.post("/domains", { domain: freshName() })).toMatchObject({ status: 201 });
    expect(await balanceOf(client)).toEqual({ balance: "0.00" });
  });

  it("answers one of two concurrent registrations of a name with 201 and the other with 409", async () => {
    const clients = [await customer(), await customer()];
    const domain = freshName("race");
    const answers = await Promise.all(clients.map((client) => client.post("/domains", { domain })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const balances = await Promise.all(clients.map(balanceOf));
    expect(balances).toContainEqual({ balance: "100.00" });
    expect(balances).toContainEqual({ balance: "88.10" });
  });

  it("answers 422 if the name is already registered on the service", async () => {
    const client = await customer();
    const domain = freshName();
    await client.post("/domains", { domain });
    const again = await customer();
    expect(await again.post("/domains", { domain: domain.toUpperCase() })).toMatchObject({
      status: 422,
      body: { code: "domain_taken" },
    });
  });

  it("answers 422 if the extension is not in the price list or no longer sold", async () => {
    const client = await customer();
    expect(await client.post("/domains", { domain: "example.dev" })).toMatchObject({
      status: 422,
      body: { code: "unsupported_extension" },
    });
    await sell(instance.staff, "org");
    await instance.staff.domains.setPrice({
      tld: "org",
      registrationCents: 1_000n,
      renewalCents: 1_000n,
      transferCents: 0n,
      active: false,
    });
    expect(await client.post("/domains", { domain: freshName("gone", "org") })).toMatchObject({
      status: 422,
      body: { code: "unsupported_extension" },
    });
  });

  it("checks in the contract's order: extension before balance, registration in flight before balance", async () => {
    const poor = await customer(0n);
    expect(await poor.post("/domains", { domain: "example.dev" })).toMatchObject({ status: 422 });
    expect(await poor.post("/domains", { domain: freshName("taken") })).toMatchObject({ status: 422 });
    const rich = await customer();
    const domain = freshName("timeout");
    const [, second] = await Promise.all([
      rich.post("/domains", { domain }),
      onceBegun(domain, () => poor.post("/domains", { domain })),
    ]);
    expect(second).toMatchObject({ status: 409 });
  });

  async function onceBegun<T>(domain: string, action: () => Promise<T>): Promise<T> {
    const isBegun = async (): Promise<void> => {
      const { runs } = await instance.staff.domains.listRuns({});
      expect(runs.map(({ subject }) => subject)).toContain(domain);
    };
    await eventually(clock, isBegun, { everyMs: 10 });
    return action();
  }
});
