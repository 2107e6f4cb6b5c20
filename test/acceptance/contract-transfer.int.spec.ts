import { type VirtualClock, eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import { anyNumber, anyText, anyTimestamp, itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/**
 * `POST /domains/transfer` of the contract's second part. A transfer of `.com` costs 10.00 EUR and VAT; the
 * sandbox's labels define the other registrar's behaviour. All waits are in virtual time.
 */

let shop: Shop;
let clock: VirtualClock;
let directory: ReturnType<typeof temporaryDirectory>;
const customers: Customer[] = [];

beforeAll(async () => {
  directory = temporaryDirectory();
  clock = virtualClock();
  shop = await openShop({ clock, data: directory.path });
});

// After all tests: paid names are held, and names that are not held are refunded.
afterAll(async () => {
  await eventually(
    clock,
    async () => {
      expect((await shop.instance.staff.domains.listRuns({})).runs).toEqual([]);
    },
    { everyMs: 1_000 },
  );
  const testimony = await hear(shop.instance.staff, [shop.owner, shop.stranger, ...customers]);
  await shop.close();
  expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
  directory.remove();
});

async function customer(balanceCents = 10_000n): Promise<Customer> {
  const opened = await shop.customer(balanceCents);
  customers.push(opened);
  return opened;
}

const path = "/domains/transfer";
const authCode = "let-me-go";
const refusal = (code: string) => ({ status: false, error: anyText, code });

async function listed(client: Customer): Promise<readonly unknown[]> {
  return itemsOf((await client.get("/domains")).body);
}

const tickets = async (client: Customer): Promise<readonly unknown[]> =>
  itemsOf((await client.get("/tickets")).body);

/** Waits until the customer's only domain is as it should be. */
async function becomes(client: Customer, domain: object): Promise<void> {
  await eventually(clock, async () => {
    expect(await listed(client)).toMatchObject([domain]);
  });
}

async function isGone(client: Customer): Promise<void> {
  await eventually(clock, async () => {
    expect(await listed(client)).toEqual([]);
    expect((await shop.instance.staff.domains.listRuns({})).runs).toEqual([]);
  });
}

describe("POST /domains/transfer", () => {
  it("charges the transfer price and VAT; the domain is transferring, then active with one more year", async () => {
    const client = await customer();
    const answer = await client.post(path, {
      domain: "Elsewhere-1.com",
      auth_code: authCode,
      auto_renew: true,
    });
    const transferring = {
      id: anyNumber,
      domain_name: "elsewhere-1.com",
      status: "transferring",
      provider: "sandbox",
      auto_renew: true,
      use_rdp_nameservers: false,
      nameservers: [],
      registration_date: null,
      expiry_date: null,
      days_until_expiry: null,
      is_expiring_soon: false,
      dns_records_count: 0,
      created_at: anyTimestamp,
    };
    expect(answer).toMatchObject({
      status: 202,
      body: {
        status: true,
        message: anyText,
        invoice_id: anyNumber,
        amount_charged: 11.9,
        domain: transferring,
      },
    });
    const { domain, invoice_id: invoiceId } = objectOf(answer.body);
    const { id } = objectOf(domain);
    expect(await listed(client)).toEqual([domain]);
    expect((await client.get(`/domains/${String(id)}`)).body).toMatchObject({
      ...transferring,
      dns_records: [],
    });
    expect(await balanceOf(client)).toBe("88.10");
    const invoice = { id: invoiceId, action: "purchase", netto: 10, brutto: 11.9, domain_id: id };
    expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
      ...invoice,
      delivered: false,
    });

    await becomes(client, { id, status: "active", expiry_date: anyTimestamp });
    const [held] = (await shop.instance.staff.domains.showSandbox({})).registrar.filter(
      ({ name }) => name === "elsewhere-1.com",
    );
    expect(await listed(client)).toMatchObject([
      {
        status: "active",
        registration_date: held?.registeredAt,
        expiry_date: held?.expiresAt,
        whois_privacy: true,
        lock_status: true,
        use_rdp_nameservers: false,
        nameservers: held?.nameservers,
      },
    ]);
    expect(await balanceOf(client)).toBe("88.10");
    await eventually(clock, async () => {
      expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
        ...invoice,
        delivered: true,
      });
    });
    expect(await tickets(client)).toEqual([]);
  });

  it("charges an exempt account without VAT", async () => {
    const client = await customer();
    const accountId = BigInt(client.accountId);
    await shop.instance.staff.accounts.setVatExemption({ accountId, vatExempt: true });
    const answer = await client.post(path, { domain: "elsewhere-exempt.com", auth_code: authCode });
    expect(answer).toMatchObject({ status: 202, body: { amount_charged: 10 } });
    await becomes(client, { status: "active" });
  });

  it("delegates to the customer's nameservers after the transfer", async () => {
    const client = await customer();
    const nameservers = ["ns1.customer.example", "ns2.customer.example"];
    await client.post(path, { domain: "elsewhere-ns.com", auth_code: authCode, nameservers });
    await becomes(client, { status: "active", nameservers, use_rdp_nameservers: false });
    await eventually(clock, async () => {
      const { registrar } = await shop.instance.staff.domains.showSandbox({});
      expect(registrar.find(({ name }) => name === "elsewhere-ns.com")?.nameservers).toEqual(nameservers);
    });
  });

  it("switches to the service's nameservers with a zone if the customer asks for it afterwards", async () => {
    const client = await customer();
    const answer = await client.post(path, { domain: "elsewhere-managed.com", auth_code: authCode });
    const id = Number(objectOf(objectOf(answer.body).domain).id);
    await becomes(client, { status: "active" });
    expect(
      await client.put(`/domains/${String(id)}/nameservers`, { use_rdp_nameservers: true }),
    ).toMatchObject({ status: 200 });
    expect(await listed(client)).toMatchObject([{ use_rdp_nameservers: true, dns_records_count: 2 }]);
  });

  it("refunds in full if the other registrar refuses, removes the domain and opens a ticket", async () => {
    const client = await customer();
    const answer = await client.post(path, { domain: "elsewhere-refused.com", auth_code: authCode });
    expect(answer).toMatchObject({ status: 202, body: { domain: { status: "transferring" } } });
    const { invoice_id: invoiceId } = objectOf(answer.body);
    await isGone(client);
    expect(await balanceOf(client)).toBe("100.00");
    const documents = itemsOf((await client.get("/billing/invoices")).body);
    expect(documents.at(-2)).toMatchObject({ id: invoiceId, brutto: 11.9 });
    expect(documents.at(-1)).toMatchObject({ action: "refund", brutto: -11.9 });
    await eventually(clock, async () => {
      expect(await tickets(client)).toMatchObject([
        { title: "The transfer of elsewhere-refused.com failed", priority: "normal", status: "open" },
      ]);
    });
    // The name is free for another try.
    expect(await client.post(path, { domain: "elsewhere-refused.com", auth_code: authCode })).toMatchObject({
      status: 202,
    });
    await isGone(client);
  });

  it("keeps asking while the other registrar has not answered", async () => {
    const client = await customer();
    const before = clock.epochMilliseconds();
    await client.post(path, { domain: "elsewhere-slow.com", auth_code: authCode });
    expect((await shop.instance.staff.domains.listRuns({})).runs).toMatchObject([
      { process: "transfer", subject: "elsewhere-slow.com" },
    ]);
    await becomes(client, { status: "active" });
    expect(clock.epochMilliseconds() - before).toBeGreaterThanOrEqual(30_000);
  });
});

describe("POST /domains/transfer, if it is refused", () => {
  it("answers 400 if the balance does not cover the price, and changes nothing", async () => {
    const client = await customer(1_189n);
    expect(await client.post(path, { domain: "elsewhere-poor.com", auth_code: authCode })).toMatchObject({
      status: 400,
      body: { ...refusal("insufficient_balance"), required: 11.9, available: 11.89 },
    });
    expect(await listed(client)).toEqual([]);
    expect(await balanceOf(client)).toBe("11.89");
  });

  it("answers 409 to everybody during a transfer of the name, and 422 once an account has the name", async () => {
    const client = await customer();
    const order = { domain: "elsewhere-twice.com", auth_code: authCode };
    expect(await client.post(path, order)).toMatchObject({ status: 202 });
    for (const other of [client, shop.stranger]) {
      expect(await other.post(path, order)).toMatchObject({
        status: 409,
        body: refusal("registration_in_flight"),
      });
      expect(await other.post("/domains", { domain: order.domain })).toMatchObject({
        status: 409,
        body: refusal("registration_in_flight"),
      });
    }
    await becomes(client, { status: "active" });
    for (const other of [client, shop.stranger])
      expect(await other.post(path, order)).toMatchObject({ status: 422, body: refusal("domain_taken") });
  });

  it("answers 422 for a name that an account has", async () => {
    await registerName(shop.stranger, "ours.com");
    const client = await customer();
    expect(await client.post(path, { domain: "ours.com", auth_code: authCode })).toMatchObject({
      status: 422,
      body: refusal("domain_taken"),
    });
  });

  it.each([
    ["that nobody holds", "nobodys.com"],
    ["of an unknown extension", "elsewhere-1.unknown"],
  ])("answers 422 for a name %s", async (_, domain) => {
    const client = await customer();
    expect(await client.post(path, { domain, auth_code: authCode })).toMatchObject({
      status: 422,
      body: refusal("not_transferable"),
    });
    expect(itemsOf((await client.get("/billing/invoices")).body)).toHaveLength(1);
    expect(await balanceOf(client)).toBe("100.00");
  });

  it("answers 422 for a wrong auth code, refunds, and accepts the right code afterwards", async () => {
    const client = await customer();
    const domain = "elsewhere-code.com";
    const answer = await client.post(path, { domain, auth_code: "another-code" });
    expect(answer).toMatchObject({ status: 422, body: refusal("invalid_auth_code") });
    expect(JSON.stringify(answer.body)).not.toContain("another-code");
    expect(await balanceOf(client)).toBe("100.00");
    await isGone(client);
    expect(await client.post(path, { domain, auth_code: authCode })).toMatchObject({ status: 202 });
    await becomes(client, { status: "active" });
    expect(await tickets(client)).toEqual([]);
  });

  it("answers 500 and refunds if the registrar is unreachable or does not carry out the order", async () => {
    const client = await customer();
    for (const domain of ["elsewhere-offline.com", "elsewhere-timeout.com"]) {
      expect(await client.post(path, { domain, auth_code: authCode })).toMatchObject({
        status: 500,
        body: refusal("registrar_failed"),
      });
      expect(await balanceOf(client)).toBe("100.00");
      await isGone(client);
    }
  });

  it.each(["lost", "limbo", "late"])(
    "does not refuse if only the registrar's answer is missing: %s",
    async (label) => {
      const client = await customer();
      const domain = `elsewhere-${label}.com`;
      expect(await client.post(path, { domain, auth_code: authCode })).toMatchObject({
        status: 202,
        // Until the registrar's silence is over, the name may have come over.
        body: { domain: { domain_name: domain } },
      });
      await becomes(client, { status: "active" });
      expect(await balanceOf(client)).toBe("88.10");
    },
  );

  it.each([
    ["domain", { domain: "sub.elsewhere.com" }],
    ["domain", { domain: undefined }],
    ["auth_code", { auth_code: undefined }],
    ["auth_code", { auth_code: "" }],
    ["auth_code", { auth_code: " " }],
    ["auth_code", { auth_code: "x".repeat(256) }],
    ["auth_code", { auth_code: "two\nlines" }],
    ["auth_code", { auth_code: 7 }],
    ["auto_renew", { auto_renew: "yes" }],
    ["nameservers", { nameservers: ["ns1.customer.example"] }],
  ])("answers 422 for a wrong %s: %j", async (field, wrong) => {
    const order = { domain: "elsewhere-wrong.com", auth_code: authCode, ...wrong };
    const answer = await shop.owner.post(path, order);
    expect(answer).toMatchObject({ status: 422, body: refusal("validation_failed") });
    expect(objectOf(objectOf(answer.body).errors)[field]).toEqual([anyText]);
  });

  it("answers 401 without a key", async () => {
    expect(
      await shop.owner.post(path, { domain: "elsewhere-1.com", auth_code: authCode }, { authorization: "" }),
    ).toMatchObject({ status: 401 });
  });
});

describe("a domain during its transfer to us", () => {
  it("belongs to its account alone, and refuses changes until the transfer ends", async () => {
    const client = await customer();
    const answer = await client.post(path, { domain: "elsewhere-slow-2.com", auth_code: authCode });
    const base = `/domains/${String(objectOf(objectOf(answer.body).domain).id)}`;
    expect(await shop.stranger.get(base)).toMatchObject(unauthorized);
    const conflict = { status: 409, body: { status: false } };
    const record = { type: "A", name: "www", value: "192.0.2.7" };
    expect(await client.put(`${base}/nameservers`, { use_rdp_nameservers: true })).toMatchObject(conflict);
    expect(await client.put(`${base}/settings`, { auto_renew: true })).toMatchObject(conflict);
    expect(await client.put(`${base}/settings`, { lock_status: false })).toMatchObject(conflict);
    expect(await client.post(`${base}/dns`, record)).toMatchObject(conflict);
    expect(await client.post(`${base}/renew`, { years: 1 })).toMatchObject(conflict);
    expect(await client.get(`${base}/auth-code`)).toMatchObject(conflict);
    await becomes(client, { status: "active" });
    expect(await client.post(`${base}/renew`, { years: 1 })).toMatchObject({ status: 200 });
  });

  it("is not available to others", async () => {
    expect(await shop.owner.get("/domains/search?domain=elsewhere-search.com")).toMatchObject({
      status: 200,
      body: { available: false, pricing: { transfer_price: 10 } },
    });
  });

  it("answers a repeated request like the first, and charges once", async () => {
    const client = await customer();
    const headers = { "idempotency-key": "transfer-1" };
    const order = { domain: "elsewhere-again.com", auth_code: authCode };
    const first = await client.post(path, order, headers);
    await becomes(client, { status: "active" });
    expect((await client.post(path, order, headers)).body).toEqual(first.body);
    expect(await balanceOf(client)).toBe("88.10");
    expect(await client.post(path, { ...order, auth_code: "x" }, headers)).toMatchObject({ status: 422 });
  });

  it("shows its auth code in no event in plain text", async () => {
    const code = "a-very-secret-code-of-mine";
    const client = await customer();
    await client.post(path, { domain: "elsewhere-secret.com", auth_code: code });
    const events = await readEventsOf(directory.path);
    const reserved = events.find(
      ({ type, stream }) => type === "TransferReserved" && stream === "domain-elsewhere-secret.com",
    );
    expect(objectOf(reserved?.data).authCode).toMatch(/^sealed:v2:/);
    expect(
      JSON.stringify(events, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
    ).not.toContain(code);
    await isGone(client);
  });
});
