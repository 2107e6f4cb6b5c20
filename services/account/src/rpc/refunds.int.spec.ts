import { teamChargeId } from "@hostledger/core";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openAccountService,
  type AccountAdminClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

/** Tests refunds by staff. One person may post 20.00 EUR to an account per day. */

let service: AccountServiceFixture;
let staff: AccountAdminClient;
let charges = 0;

beforeAll(async () => {
  service = await openAccountService({ approvalCents: 2_000n });
  staff = service.staff();
});
afterAll(() => service.close());

const reason = "Outage of 20 November";

/** Another member of staff with a limit of its own. */
const colleague = (name: string): AccountAdminClient => service.staff({ kind: "staff", name });

/** Creates a customer with 10.00 EUR whose server was renewed for 28.47 EUR. */
async function charged() {
  const { accountId } = await staff.openAccount({ name: "Ada" });
  for (const reference of ["bank-1", "bank-2"])
    await colleague(reference).topUpAccount({
      accountId,
      amountCents: 1_900n,
      reference: `${reference}-${String(accountId)}`,
    });
  await staff.adjustBalance({ accountId, amountCents: 47n, reference: `case-${String(accountId)}`, reason });
  charges += 1;
  const chargeId = `serverrenewal-${String(charges)}`;
  const lines = [{ description: "Renewal of a server S, 3 months", quantity: 1, unitNetCents: 2_847n }];
  const renewal = { action: "renewal", pricesIncludeVat: true, duration: 3, serverId: 9n, planId: 2n };
  const servers = service.accounts({ kind: "service", name: "server" });
  const invoice = await servers.chargeBalance({ accountId, chargeId, lines, ...renewal });
  // Reading the list waits until the read model contains the charge.
  await documentsOf(accountId);
  return { accountId, chargeId, ...invoice };
}

async function documentsOf(accountId: bigint) {
  const customer = service.accounts({ kind: "account", accountId: Number(accountId) });
  return (await customer.listInvoices({ accountId })).invoices;
}

describe("listCharges and showCharge", () => {
  it("return the charged and the refunded amounts", async () => {
    const { accountId, chargeId, invoiceId, invoiceNumber } = await charged();
    const charge = { accountId, chargeId, invoiceId, invoiceNumber, action: "renewal", grossCents: 2_847n };
    expect(await staff.listCharges({ accountId })).toMatchObject({
      charges: [{ ...charge, refundedCents: 0n }],
    });
    const { correctionId } = await staff.refundCharge({
      chargeOrInvoice: chargeId,
      amountCents: 1_000n,
      reason,
    });
    const after = { ...charge, refundedCents: 1_000n };
    expect(await staff.listCharges({ accountId })).toMatchObject({ charges: [after] });
    const page = { afterId: invoiceId - 1n, limit: 1 };
    expect(await staff.listCharges({ page })).toMatchObject({ charges: [after] });
    for (const chargeOrInvoice of [chargeId, String(invoiceId), invoiceNumber])
      expect(await staff.showCharge({ chargeOrInvoice })).toMatchObject({
        charge: after,
        corrections: [{ reason, invoice: { id: correctionId, grossCents: -1_000n } }],
      });
  });

  it("return no missing charge", async () => {
    expect(await refusalOf(staff.showCharge({ chargeOrInvoice: "nothing" }))).toMatchObject({
      code: "charge-not-found",
    });
    expect(await refusalOf(staff.showCharge({ chargeOrInvoice: "" }))).toMatchObject({
      code: "validation-failed",
    });
    expect(await refusalOf(staff.listCharges({ accountId: 999_999n }))).toMatchObject({ code: "not-found" });
  });
});

describe("refundCharge", () => {
  it("returns a part, once, with a correction that names the invoice", async () => {
    const { accountId, chargeId, invoiceId, invoiceNumber } = await charged();
    const requested = { amountCents: 1_000n, reason };
    const first = await staff.refundCharge({ ...requested, chargeOrInvoice: chargeId });
    expect(first).toMatchObject({ accountId, amountCents: 1_000n, balanceCents: 2_000n });
    for (const chargeOrInvoice of [chargeId, String(invoiceId), invoiceNumber])
      await expect(staff.refundCharge({ ...requested, chargeOrInvoice })).resolves.toEqual({
        ...first,
        repeated: true,
      });
    expect((await documentsOf(accountId)).at(-1)).toMatchObject({
      id: first.correctionId,
      action: "refund",
      netCents: -840n,
      vatCents: -160n,
      grossCents: -1_000n,
    });
  });

  it("returns all that is left, once, and no more", async () => {
    const { accountId, chargeId: chargeOrInvoice } = await charged();
    await staff.refundCharge({ chargeOrInvoice, amountCents: 1_000n, reason });
    const requested = { chargeOrInvoice, reason: "All of it" };
    const rest = await colleague("ben").refundCharge(requested);
    expect(rest).toMatchObject({ amountCents: 1_847n, balanceCents: 3_847n });
    await expect(staff.refundCharge(requested)).resolves.toEqual({ ...rest, repeated: true });
    for (const more of [{ reason: "Once more" }, { amountCents: 1n, reason: "Once more" }])
      await expect(refusalOf(staff.refundCharge({ chargeOrInvoice, ...more }))).resolves.toMatchObject({
        code: "validation-failed",
        message: "0.00 EUR of the charge are left to refund.",
      });
    expect(await staff.showAccount({ accountId })).toMatchObject({ balanceCents: 3_847n });
  });

  it("refunds once if the same refund is requested several times at once", async () => {
    const { accountId, chargeId: chargeOrInvoice } = await charged();
    const requested = { chargeOrInvoice, amountCents: 500n, reason };
    const answers = await Promise.all([1, 2, 3].map(() => staff.refundCharge(requested)));
    expect(new Set(answers.map(({ correctionId }) => correctionId)).size).toBe(1);
    expect(await staff.showAccount({ accountId })).toMatchObject({ balanceCents: 1_500n });
  });

  it("leaves the rest to an order that is undone later", async () => {
    const { accountId, chargeId } = await charged();
    const servers = service.accounts({ kind: "service", name: "server" });
    const { correctionId } = await staff.refundCharge({
      chargeOrInvoice: chargeId,
      amountCents: 1_000n,
      reason,
    });
    const undone = await servers.refundCharge({ accountId, chargeId, reason: "There is no such server" });
    expect(undone.correctionId).not.toBe(correctionId);
    expect(await staff.showAccount({ accountId })).toMatchObject({ balanceCents: 3_847n });
    const { chargeId: other, accountId: its } = await charged();
    await staff.refundCharge({ chargeOrInvoice: other, amountCents: 1_900n, reason });
    await colleague("ben").refundCharge({ chargeOrInvoice: other, amountCents: 947n, reason });
    await servers.refundCharge({ accountId: its, chargeId: other, reason: "There is no such server" });
    expect(await staff.showAccount({ accountId: its })).toMatchObject({ balanceCents: 3_847n });
  });

  it("requires a second person above the limit of one person, for each reason separately", async () => {
    const { accountId, chargeId: chargeOrInvoice } = await charged();
    const requested = { chargeOrInvoice, amountCents: 2_001n, reason };
    await expect(refusalOf(staff.refundCharge(requested))).resolves.toMatchObject({
      code: "approval-required",
    });
    const { approvals } = await staff.listApprovals({});
    const { approvalId = 0n } = approvals.find((one) => one.accountId === accountId) ?? {};
    await expect(refusalOf(staff.approveCredit({ approvalId }))).resolves.toMatchObject({
      code: "unauthorized",
    });
    const second = colleague("ben");
    for (const _again of [1, 2])
      expect(await second.approveCredit({ approvalId })).toMatchObject({ balanceCents: 3_001n });
    expect(await staff.refundCharge(requested)).toMatchObject({ balanceCents: 3_001n });
    const above = { chargeOrInvoice, amountCents: 2_001n, reason: "Once more" };
    await expect(refusalOf(staff.refundCharge(above))).resolves.toMatchObject({ code: "validation-failed" });
    expect((await staff.listApprovals({})).approvals).toEqual([]);
  });

  it.each([
    ["nothing", { amountCents: 0n }, "validation-failed"],
    ["an amount below zero", { amountCents: -1n }, "validation-failed"],
    ["more than was charged", { amountCents: 2_848n }, "validation-failed"],
    ["no reason", { reason: " " }, "validation-failed"],
    ["a story for a reason", { reason: "r".repeat(501) }, "validation-failed"],
    ["no charge", { chargeOrInvoice: "" }, "validation-failed"],
    ["a charge that was never made", { chargeOrInvoice: "serverrenewal-0" }, "charge-not-found"],
    ["an invoice that was never issued", { chargeOrInvoice: "2026-1-999999" }, "charge-not-found"],
    ["an account that is not there", { chargeOrInvoice: "2026-999999-000001" }, "not-found"],
    ["an id that nothing has", { chargeOrInvoice: "999999999" }, "charge-not-found"],
  ])("refuses %s, and writes nothing", async (_case, wrong, code) => {
    const { accountId, chargeId: chargeOrInvoice } = await charged();
    const request = { chargeOrInvoice, amountCents: 1n, reason, ...wrong };
    await expect(refusalOf(staff.refundCharge(request))).resolves.toMatchObject({ code });
    expect(await staff.showAccount({ accountId })).toMatchObject({ balanceCents: 1_000n });
  });

  it("refuses an ambiguous charge name of several accounts, and refunds the charge of the named invoice", async () => {
    // Like an internal team, which may use one charge id on several accounts.
    const chargeId = "service:shop/november";
    const lines = [{ description: "Support in November", quantity: 1, unitNetCents: 500n }];
    const servers = service.accounts({ kind: "service", name: "server" });
    const [first, second] = [await charged(), await charged()];
    for (const { accountId } of [first, second])
      await servers.chargeBalance({ accountId, chargeId, action: "purchase", lines });
    const invoice = (await documentsOf(second.accountId)).at(-1);
    const asked = staff.refundCharge({ chargeOrInvoice: chargeId, reason });
    await expect(refusalOf(asked)).resolves.toMatchObject({ code: "validation-failed" });
    expect(await staff.showAccount({ accountId: first.accountId })).toMatchObject({ balanceCents: 405n });
    expect(await staff.refundCharge({ chargeOrInvoice: invoice?.number ?? "", reason })).toMatchObject({
      accountId: second.accountId,
      amountCents: 595n,
    });
  });

  it("refuses the receipt of a payment: nothing was charged", async () => {
    const { accountId } = await staff.openAccount({ name: "Ada" });
    const payment = { accountId, amountCents: 5n, reference: "a payment" };
    const { invoiceId } = await staff.topUpAccount(payment);
    for (const chargeOrInvoice of [String(invoiceId), `2026-${String(accountId)}-T000001`, "a payment"])
      await expect(refusalOf(staff.refundCharge({ chargeOrInvoice, reason }))).resolves.toMatchObject({
        code: "charge-not-found",
      });
  });
});

describe("listAllInvoices and showInvoice", () => {
  it("show every document to staff, by account, id and number", async () => {
    const { accountId, chargeId, invoiceId, invoiceNumber } = await charged();
    const { correctionId } = await staff.refundCharge({
      chargeOrInvoice: chargeId,
      amountCents: 1n,
      reason,
    });
    const { invoices } = await staff.listAllInvoices({ accountId });
    expect(invoices.map(({ invoice }) => invoice?.action)).toEqual(["topup", "topup", "renewal", "refund"]);
    const page = { afterId: invoiceId - 1n, limit: 1 };
    expect((await staff.listAllInvoices({ page })).invoices).toMatchObject([
      { accountId, cause: chargeId, invoice: { id: invoiceId, number: invoiceNumber } },
    ]);
    for (const wanted of [invoiceNumber, String(invoiceId)])
      expect(await staff.showInvoice({ invoice: wanted })).toMatchObject({
        invoice: { accountId, invoice: { id: invoiceId } },
        lines: [{ amountCents: 2_847n }],
        document: {
          accountId,
          cause: chargeId,
          invoice: { id: invoiceId },
          lines: [{ amountCents: 2_847n }],
        },
      });
    expect(await staff.showInvoice({ invoice: String(correctionId) })).toMatchObject({
      invoice: { correctsNumber: invoiceNumber, reason },
      lines: [],
    });
  });

  it.each([
    ["", "validation-failed"],
    ["9".repeat(65), "validation-failed"],
    ["a payment", "not-found"],
    ["2026-7-999999", "not-found"],
    ["999999999", "not-found"],
    ["0", "not-found"],
  ])("refuse to show the invoice '%s'", async (invoice, code) => {
    await expect(refusalOf(staff.showInvoice({ invoice }))).resolves.toMatchObject({ code });
  });

  it("are for staff, and about accounts that exist", async () => {
    const missing = staff.listAllInvoices({ accountId: 999_999n });
    await expect(refusalOf(missing)).resolves.toMatchObject({ code: "not-found" });
    const customer = service.staff({ kind: "account", accountId: 1 });
    await expect(refusalOf(customer.listAllInvoices({}))).resolves.toMatchObject({ code: "unauthorized" });
    await expect(refusalOf(customer.showInvoice({ invoice: "1" }))).resolves.toMatchObject({
      code: "unauthorized",
    });
  });
});

it("a team that repeats a refunded charge is refused, because a success would mislead it", async () => {
  const { accountId } = await staff.openAccount({ name: "Ada" });
  await staff.topUpAccount({ accountId, amountCents: 1_000n, reference: `team-${String(accountId)}` });
  const team = service.accounts({ kind: "service", name: "backups" });
  const lines = [{ description: "Backups", quantity: 1, unitNetCents: 500n }];
  const requested = {
    accountId,
    chargeId: teamChargeId("backups", "march"),
    action: "purchase",
    lines,
    pricesIncludeVat: true,
  };
  const charged = await team.chargeBalance(requested);
  const refund = { chargeOrInvoice: charged.invoiceNumber, reason };
  await staff.refundCharge({ ...refund, amountCents: 100n });
  expect(await team.chargeBalance(requested)).toEqual(charged);
  await staff.refundCharge(refund);
  expect(await refusalOf(team.chargeBalance(requested))).toMatchObject({ code: "charge-conflict" });
  expect(await staff.showAccount({ accountId })).toMatchObject({ balanceCents: 1_000n });
});
