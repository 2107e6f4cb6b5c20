import { readMetadata } from "@hostledger/store";
import { refusalOf } from "@hostledger/rpc/testing";
import { defined } from "@hostledger/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openAccountService,
  type AccountAdminClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

let service: AccountServiceFixture;
let staff: AccountAdminClient;

beforeAll(async () => {
  service = await openAccountService();
  staff = service.staff();
});
afterAll(() => service.close());

async function openAccount(): Promise<bigint> {
  return (await staff.openAccount({ name: "Ada" })).accountId;
}

const nobodysId = 999_999n;

/** Calls every method on an account. */
const methods: readonly [string, (client: AccountAdminClient, accountId: bigint) => Promise<unknown>][] = [
  ["openAccount", (client) => client.openAccount({ name: "Ada" })],
  ["showAccount", (client, accountId) => client.showAccount({ accountId })],
  ["listAccountFacts", (client, accountId) => client.listAccountFacts({ accountId })],
  ["setVatExemption", (client, accountId) => client.setVatExemption({ accountId, vatExempt: true })],
  [
    "topUpAccount",
    (client, accountId) => client.topUpAccount({ accountId, amountCents: 1n, reference: "r" }),
  ],
  [
    "adjustBalance",
    (client, accountId) => client.adjustBalance({ accountId, amountCents: 1n, reference: "r", reason: "r" }),
  ],
  ["reverseTopUp", (client, accountId) => client.reverseTopUp({ accountId, reference: "r", reason: "r" })],
  [
    "setQuota",
    (client, accountId) => client.setQuota({ accountId, quota: "open_tickets", value: 1n, reason: "r" }),
  ],
  ["listQuotas", (client, accountId) => client.listQuotas({ accountId })],
  ["issueApiKey", (client, accountId) => client.issueApiKey({ accountId })],
  ["revokeApiKey", (client) => client.revokeApiKey({ keyId: 1n })],
  ["eraseAccount", (client, accountId) => client.eraseAccount({ accountId })],
  ["listApiKeys", (client, accountId) => client.listApiKeys({ accountId })],
];

describe("who may ask", () => {
  it.each(methods)("%s: only staff", async (_, call) => {
    const accountId = await openAccount();
    for (const caller of [
      { kind: "account", accountId: Number(accountId) },
      { kind: "service", name: "domain" },
    ] as const)
      await expect(refusalOf(call(service.staff(caller), accountId))).resolves.toMatchObject({
        code: "unauthorized",
      });
  });

  it.each([
    ["showAccount", "not-found"],
    ["listAccountFacts", "not-found"],
    ["setVatExemption", "account-not-open"],
    ["topUpAccount", "not-found"],
    ["adjustBalance", "not-found"],
    ["reverseTopUp", "not-found"],
    ["setQuota", "not-found"],
    ["listQuotas", "not-found"],
    ["issueApiKey", "not-found"],
    ["listApiKeys", "not-found"],
  ])("%s: about an account that exists", async (name, code) => {
    const call = methods.find(([method]) => method === name)?.[1];
    await expect(refusalOf(call?.(staff, nobodysId) ?? Promise.resolve())).resolves.toMatchObject({ code });
    await expect(refusalOf(call?.(staff, 0n) ?? Promise.resolve())).resolves.toMatchObject({
      code: "not-found",
    });
  });
});

describe("adjustBalance and reverseTopUp", () => {
  const reason = "Outage of 20 November";
  const rich = async (): Promise<bigint> => {
    const accountId = await openAccount();
    await staff.topUpAccount({ accountId, amountCents: 10_000n, reference: paymentOf(accountId) });
    return accountId;
  };
  const paymentOf = (accountId: bigint) => `payment of ${String(accountId)}`;

  it("correct a balance once for each reference of a kind", async () => {
    const accountId = await rich();
    const debit = { accountId, amountCents: -2_500n, reference: "case-1", reason };
    for (const _again of [1, 2])
      expect(await staff.adjustBalance(debit)).toMatchObject({ balanceCents: 7_500n });
    const back = { accountId, amountCents: 2_500n, reference: "case-1", reason };
    expect(await staff.adjustBalance(back)).toMatchObject({ balanceCents: 10_000n });
    const payment = { accountId, reference: paymentOf(accountId), reason };
    for (const _again of [1, 2])
      expect(await staff.reverseTopUp(payment)).toMatchObject({ balanceCents: 0n });
    await expect(refusalOf(staff.adjustBalance({ ...back, amountCents: 1n }))).resolves.toMatchObject({
      code: "reference-conflict",
    });
  });

  it.each([
    ["more than there is", { amountCents: -10_001n }, "insufficient-balance"],
    ["nothing", { amountCents: 0n }, "validation-failed"],
    ["more than there can be", { amountCents: 100_000_000_001n }, "validation-failed"],
    ["an amount below what can be", { amountCents: -(2n ** 63n) }, "validation-failed"],
    ["no reference", { reference: " " }, "validation-failed"],
    ["a reference with an invisible character", { reference: "case\u200b-2" }, "validation-failed"],
    ["a long reference", { reference: "r".repeat(201) }, "validation-failed"],
    ["no reason", { reason: "" }, "validation-failed"],
    ["a story for a reason", { reason: "r".repeat(501) }, "validation-failed"],
    ["a reason of two lines", { reason: "one\ntwo" }, "validation-failed"],
  ])("refuse %s, and write nothing", async (_case, wrong, code) => {
    const accountId = await rich();
    const request = { accountId, amountCents: 1n, reference: "case-2", reason, ...wrong };
    await expect(refusalOf(staff.adjustBalance(request))).resolves.toMatchObject({ code });
    expect(await staff.showAccount({ accountId })).toMatchObject({ balanceCents: 10_000n });
  });

  it("refuse to reverse a payment that does not exist, or whose money is spent", async () => {
    const accountId = await rich();
    const requested = { accountId, reference: "bank-2", reason };
    await expect(refusalOf(staff.reverseTopUp(requested))).resolves.toMatchObject({ code: "not-found" });
    await staff.adjustBalance({ accountId, amountCents: -1n, reference: "case-3", reason });
    const spent = { ...requested, reference: paymentOf(accountId) };
    await expect(refusalOf(staff.reverseTopUp(spent))).resolves.toMatchObject({
      code: "insufficient-balance",
    });
  });
});

describe("setQuota", () => {
  it("sets a quota for an account, and restores the standard one", async () => {
    const accountId = await openAccount();
    const valueOf = ({
      quotas,
    }: {
      quotas: readonly { name: string; value: bigint }[];
    }): bigint | undefined => quotas.find(({ name }) => name === "open_tickets")?.value;
    const set = (value?: bigint) =>
      staff.setQuota({ accountId, quota: "open_tickets", reason: "r", ...defined({ value }) });
    expect(valueOf(await set(3n))).toBe(3n);
    expect(valueOf(await staff.listQuotas({ accountId }))).toBe(3n);
    expect(valueOf(await set())).toBe(100n);
  });

  it.each([
    ["an unknown quota", "quota", { quota: "wishes" }],
    ["a name that every object has", "quota", { quota: "toString" }],
    ["less than nothing", "value", { value: -1n }],
    ["more than there can be", "value", { value: 1_000_000_000_001n }],
    ["no reason", "reason", { reason: "" }],
    ["a story for a reason", "reason", { reason: "r".repeat(1_001) }],
  ])("refuses %s", async (_case, field, wrong) => {
    const accountId = await openAccount();
    const request = { accountId, quota: "open_tickets", value: 1n, reason: "r", ...wrong };
    await expect(refusalOf(staff.setQuota(request))).resolves.toMatchObject({
      code: "validation-failed",
      detail: { fieldErrors: { [field]: expect.anything() } },
    });
  });
});

describe("openAccount", () => {
  it("opens an account with nothing on it, each with a new id", async () => {
    const first = await staff.openAccount({ name: "  Ada Lovelace ", vatExempt: true });
    const second = await staff.openAccount({ name: "Grace" });
    expect(second.accountId).toBe(first.accountId + 1n);
    await expect(staff.showAccount({ accountId: first.accountId })).resolves.toMatchObject({
      accountId: first.accountId,
      name: "Ada Lovelace",
      vatExempt: true,
      balanceCents: 0n,
      openedAt: service.clock.now(),
    });
  });

  it("records who opened it, on whose request", async () => {
    const { accountId } = await staff.openAccount(
      { name: "Ada" },
      { headers: { "x-request-id": "request-1" } },
    );
    for await (const event of service.store.read(`account-${String(accountId)}`)) {
      expect(readMetadata(event.metadata)).toMatchObject({
        actor: "staff:ada",
        requestId: "request-1",
        correlationId: "request-1",
        recordedBy: "account-service",
      });
    }
  });

  it.each([
    ["nothing", ""],
    ["blank", "  "],
    ["too long", "x".repeat(201)],
    ["two lines", "two\nlines"],
    ["turned", "moc.\u202eelgoog"],
    ["half a surrogate pair", "half \ud800 a pair"],
  ])("refuses a name that is %s", async (_, name) => {
    const refusal = await refusalOf(staff.openAccount({ name }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["name"]);
  });
});

describe("setVatExemption", () => {
  it("holds for the charges that follow", async () => {
    const accountId = await openAccount();
    await staff.topUpAccount({ accountId, amountCents: 5_000n, reference: "before the loss" });
    await expect(staff.setVatExemption({ accountId, vatExempt: true })).resolves.toMatchObject({
      accountId,
      vatExempt: true,
    });
    const domains = service.accounts({ kind: "service", name: "domain" });
    const lines = [{ description: "x", quantity: 1, unitNetCents: 1_000n }];
    const charge = { accountId, action: "purchase", lines };
    await expect(domains.chargeBalance({ ...charge, chargeId: "a" })).resolves.toMatchObject({
      grossCents: 1_000n,
    });
    await staff.setVatExemption({ accountId, vatExempt: false });
    await expect(domains.chargeBalance({ ...charge, chargeId: "b" })).resolves.toMatchObject({
      grossCents: 1_190n,
    });
  });

  it("may be set to its present value", async () => {
    const accountId = await openAccount();
    await staff.setVatExemption({ accountId, vatExempt: false });
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({ vatExempt: false });
  });
});

describe("topUpAccount", () => {
  const paymentOf = (accountId: bigint) => ({ amountCents: 5_000n, reference: `bank-${String(accountId)}` });

  it("credits a payment and issues a receipt, which can be read at once", async () => {
    const accountId = await openAccount();
    const { invoiceId, balanceCents } = await staff.topUpAccount({ accountId, ...paymentOf(accountId) });
    expect(balanceCents).toBe(5_000n);
    const customer = service.accounts({ kind: "account", accountId: Number(accountId) });
    const { invoices } = await customer.listInvoices({ accountId });
    expect(invoices).toMatchObject([{ id: invoiceId, action: "topup", grossCents: 5_000n }]);
  });

  it("credits a payment once, also when it comes twice at the same time", async () => {
    const accountId = await openAccount();
    const answers = await Promise.all(
      [1, 2, 3].map(() => staff.topUpAccount({ accountId, ...paymentOf(accountId) })),
    );
    expect(new Set(answers.map(({ invoiceId }) => invoiceId)).size).toBe(1);
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
  });

  it("refuses a reference that was credited with another amount", async () => {
    const accountId = await openAccount();
    await staff.topUpAccount({ accountId, ...paymentOf(accountId) });
    await expect(
      refusalOf(staff.topUpAccount({ accountId, ...paymentOf(accountId), amountCents: 5_001n })),
    ).resolves.toMatchObject({ code: "reference-conflict" });
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
  });

  it.each([
    ["amountCents", "nothing", { amountCents: 0n }],
    ["amountCents", "below zero", { amountCents: -1n }],
    ["amountCents", "more than one billion euros", { amountCents: 10n ** 11n + 1n }],
    ["reference", "empty", { reference: "" }],
    ["reference", "invisible", { reference: "bank\u200b-9" }],
    ["reference", "too long", { reference: "x".repeat(201) }],
    ["reference", "two lines", { reference: "two\nlines" }],
  ])("refuses a bad %s: %s", async (field, _, change) => {
    const accountId = await openAccount();
    const refusal = await refusalOf(staff.topUpAccount({ accountId, ...paymentOf(accountId), ...change }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({ balanceCents: 0n });
  });
});

describe("eraseAccount", () => {
  it("destroys the name, revokes the keys in the same append, and leaves the money", async () => {
    const accountId = await openAccount();
    const id = Number(accountId);
    await staff.topUpAccount({ accountId, amountCents: 5_000n, reference: "before the erasure" });
    const { keyId } = await staff.issueApiKey({ accountId });
    const domains = service.accounts({ kind: "service", name: "domain" });
    const lines = [{ description: "x", quantity: 1, unitNetCents: 1_000n }];
    const charge = { accountId, action: "purchase", lines, domainId: 3n };
    await domains.chargeBalance({ ...charge, chargeId: "before" });

    const erasedAt = service.clock.now();
    await expect(staff.eraseAccount({ accountId, force: true })).resolves.toMatchObject({
      accountId,
      erasedAt,
      keyDestroyed: true,
      apiKeysRevoked: 1,
    });
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({
      name: "[erased]",
      balanceCents: 3_810n,
    });
    const { keys } = await staff.listApiKeys({ accountId });
    expect(keys).toMatchObject([{ keyId, revokedAt: erasedAt }]);
    await expect(refusalOf(staff.issueApiKey({ accountId }))).resolves.toMatchObject({
      code: "account-not-open",
    });

    // An earlier charge can be completed, but no new charge is possible.
    await domains.chargeBalance({ ...charge, chargeId: "before" });
    await expect(refusalOf(domains.chargeBalance({ ...charge, chargeId: "after" }))).resolves.toMatchObject({
      code: "account-not-open",
    });
    await domains.refundRegistration({ accountId, chargeId: "before", reason: "refused" });
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });

    service.clock.advance(1_000);
    await expect(staff.eraseAccount({ accountId })).resolves.toMatchObject({
      erasedAt,
      keyDestroyed: false,
      apiKeysRevoked: 0,
    });
    const types: string[] = [];
    for await (const event of service.store.read(`account-${String(id)}`)) {
      types.push(event.type);
      expect(event.data).not.toContain('"Ada');
    }
    expect(types.filter((type) => type.startsWith("PersonalDataErased"))).toHaveLength(1);
  });

  it("revokes more keys than one append holds, and erases with the last of them", async () => {
    const accountId = await openAccount();
    const wanted = 1_001;
    await Promise.all(Array.from({ length: wanted }, () => staff.issueApiKey({ accountId })));

    await expect(staff.eraseAccount({ accountId })).resolves.toMatchObject({
      keyDestroyed: true,
      apiKeysRevoked: wanted,
    });
    const types: string[] = [];
    for await (const event of service.store.read(`account-${String(accountId)}`)) types.push(event.type);
    expect(types.filter((type) => type.startsWith("ApiKeyRevoked"))).toHaveLength(wanted);
    expect(types.filter((type) => type.startsWith("PersonalDataErased"))).toHaveLength(1);
  });
});

describe("API keys", () => {
  it("are listed at once, oldest first, without the key itself", async () => {
    const accountId = await openAccount();
    const first = await staff.issueApiKey({ accountId });
    const second = await staff.issueApiKey({ accountId });
    expect(first.apiKey).not.toBe(second.apiKey);
    const { keys } = await staff.listApiKeys({ accountId });
    expect(keys).toMatchObject(
      [first, second].map(({ keyId, apiKey }) => ({
        keyId,
        prefix: apiKey.slice(0, `hlk_${String(accountId)}_${String(keyId)}_`.length + 6),
        issuedAt: service.clock.now(),
      })),
    );
    expect(keys.map(({ revokedAt }) => revokedAt)).toEqual([undefined, undefined]);
  });

  it("are nowhere in the store but as a hash", async () => {
    const accountId = await openAccount();
    const { apiKey } = await staff.issueApiKey({ accountId });
    for await (const event of service.store.read(`account-${String(accountId)}`))
      expect(event.data + event.metadata).not.toContain(apiKey.slice(-24));
  });

  it("are revoked once: the first time stays", async () => {
    const accountId = await openAccount();
    const { keyId } = await staff.issueApiKey({ accountId });
    const revokedAt = service.clock.now();
    await expect(staff.revokeApiKey({ keyId })).resolves.toMatchObject({ keyId });
    service.clock.advance(1_000);
    await staff.revokeApiKey({ keyId });
    const { keys } = await staff.listApiKeys({ accountId });
    expect(keys).toMatchObject([{ keyId, revokedAt }]);
  });

  it.each([nobodysId, 0n, -1n])("with the id %s do not exist", async (keyId) => {
    await expect(refusalOf(staff.revokeApiKey({ keyId }))).resolves.toMatchObject({
      code: "api-key-not-found",
    });
  });
});
