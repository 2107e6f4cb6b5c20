import { assertNever } from "../kernel/assert-never.ts";
import { dayOf } from "../calendar/calendar.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import { erasedText } from "../kernel/fields.ts";
import type { AccountEvent, CorrectionIssued, InvoiceIssued, ReceiptCancelled } from "./account.events.ts";
import { adjustmentKey } from "./adjust-balance.ts";
import { afterReminder, withDebt } from "./debt.ts";
import { subjectOf } from "./documents.ts";
import { emptyProfile, type AccountProfile } from "./profile.ts";
import { leftToRefund } from "./refund-charge.ts";
import {
  noDocuments,
  openedAccount,
  type AccountState,
  type OpenAccountState,
  type VatIdCheck,
} from "./account.state.ts";

/** Applies an event to an account. @throws CorruptStreamError if the event cannot follow the state. */
export function evolve(state: AccountState, event: AccountEvent): AccountState {
  if (event.type === "AccountOpened") {
    if (state.status === "open") throw new CorruptStreamError(event.type, state.status);
    return openedAccount(event.data);
  }
  if (state.status !== "open") throw new CorruptStreamError(event.type, state.status);
  const next = evolveOpen(state, event);
  const isNewDebt = next.balanceCents < 0n && next.balanceCents < state.balanceCents;
  if (isNewDebt && !(event.type === "BalanceAdjusted" && event.data.debtAllowed))
    throw new CorruptStreamError(event.type, "a balance below zero");
  // Each movement contains the resulting balance, which reveals a lost or doubled event.
  const stated = statedBalance(event);
  if (stated !== undefined && stated !== String(next.balanceCents)) {
    throw new CorruptStreamError(event.type, `a balance of ${String(state.balanceCents)} cents`);
  }
  return withDebt(next, event);
}

/** Returns the resulting balance of a movement, in cents (EUR); undefined for other events. */
function statedBalance(event: AccountEvent): string | undefined {
  switch (event.type) {
    case "BalanceCredited":
    case "BalanceAdjusted":
    case "BalanceCharged":
    case "RegistrationRefunded":
    case "ChargeRefunded":
    case "RefundGranted":
    case "BalancePaidOut":
    case "PaidOutReturned":
      return event.data.balanceAfterCents;
    default:
      return undefined;
  }
}

function evolveOpen(
  state: OpenAccountState,
  event: Exclude<AccountEvent, { type: "AccountOpened" }>,
): OpenAccountState {
  switch (event.type) {
    case "PersonalDataErased":
      if (state.erasedAt !== undefined) throw new CorruptStreamError(event.type, "erased");
      return {
        ...state,
        name: erasedText,
        profile: emptyProfile,
        vatIdCheck: null,
        erasedAt: event.data.erasedAt,
        apiKeys: state.apiKeys.map((key) => (key.label === "" ? key : { ...key, label: erasedText })),
      };
    case "ProfileChanged":
      if (event.data.version !== state.profile.version + 1)
        throw new CorruptStreamError(event.type, `version ${String(state.profile.version)} of the profile`);
      return { ...state, profile: profileOf(event.data) };
    case "VatIdChecked":
      return { ...state, vatIdCheck: checkAfter(state, event.data) };
    case "VatExemptionChanged":
      return { ...state, vatExempt: event.data.vatExempt };
    case "DocumentSeriesBegun":
      if (event.data.series <= state.documentSeries)
        throw new CorruptStreamError(event.type, `series ${String(state.documentSeries)} of documents`);
      return { ...state, documentSeries: event.data.series, documentCounts: noDocuments };
    case "BalanceCredited":
      return { ...state, balanceCents: state.balanceCents + BigInt(event.data.amountCents) };
    case "BalanceAdjusted": {
      const { kind, reference, amountCents } = event.data;
      const key = adjustmentKey(kind, reference);
      if (state.adjustments.has(key)) throw new CorruptStreamError(event.type, `${key} is there already`);
      const changeCents = BigInt(amountCents);
      return {
        ...state,
        balanceCents: state.balanceCents + changeCents,
        adjustments: state.adjustments.set(key, changeCents),
      };
    }
    case "DebtReminded":
      return { ...state, debt: afterReminder(state, event) };
    case "BalancePaidOut":
    case "PaidOutReturned":
      return recordPaidOut(state, event);
    case "BalanceCharged":
      return { ...state, balanceCents: state.balanceCents - BigInt(event.data.grossCents) };
    case "RegistrationRefunded":
    case "ChargeRefunded":
    case "RefundGranted":
      return recordRefund(state, event);
    case "InvoiceIssued":
      return recordInvoice(state, event.data);
    case "CorrectionIssued":
    case "ReceiptCancelled":
      return counted(state, "correction", dateOf(event.data));
    case "ApiKeyIssued": {
      const { keyId, accountId: _, ...key } = event.data;
      return { ...state, apiKeys: state.apiKeys.set(keyId, { ...key, revokedAt: null }) };
    }
    case "ApiKeyRevoked": {
      const { keyId, revokedAt } = event.data;
      const key = state.apiKeys.get(keyId);
      if (key === undefined) throw new CorruptStreamError(event.type, "no such key");
      return { ...state, apiKeys: state.apiKeys.set(keyId, { ...key, revokedAt }) };
    }
    default:
      return assertNever(event);
  }
}

function recordPaidOut(
  state: OpenAccountState,
  { type, data }: Extract<AccountEvent, { type: "BalancePaidOut" | "PaidOutReturned" }>,
): OpenAccountState {
  const known = state.paidOut.get(data.reference);
  const amountCents = BigInt(data.amountCents);
  if (type === "PaidOutReturned") {
    if (known?.isReturned !== false || known.amountCents !== amountCents)
      throw new CorruptStreamError(type, `${data.reference} is not paid out`);
    const paidOut = state.paidOut.set(data.reference, { ...known, isReturned: true });
    return { ...state, balanceCents: state.balanceCents + amountCents, paidOut };
  }
  if (known !== undefined) throw new CorruptStreamError(type, `${data.reference} is there already`);
  const { to, reference, topUpReference, fromIban, iban, name, keptUntilYear, reason } = data;
  const order = { to, reference, topUpReference, fromIban, iban, name, keptUntilYear, reason };
  const paidOut = state.paidOut.set(reference, { ...order, amountCents, isReturned: false });
  return { ...state, balanceCents: state.balanceCents - amountCents, paidOut };
}

function recordRefund(
  state: OpenAccountState,
  {
    type,
    data,
  }: Extract<AccountEvent, { type: "RegistrationRefunded" | "ChargeRefunded" | "RefundGranted" }>,
): OpenAccountState {
  const { chargeId, correctionId, reason } = data;
  const charge = state.charges.get(chargeId);
  if (charge === undefined || charge.refundedBy !== undefined)
    throw new CorruptStreamError(type, "no such charge");
  const grossCents = BigInt(data.grossCents);
  if (grossCents > leftToRefund(charge))
    throw new CorruptStreamError(type, "more than is left of the charge");
  const refunds = [...charge.refunds, { correctionId, grossCents, reason }];
  const refunded =
    type === "RefundGranted" ? { ...charge, refunds } : { ...charge, refundedBy: correctionId };
  return {
    ...state,
    balanceCents: state.balanceCents + grossCents,
    charges: state.charges.replace(refunded),
  };
}

function recordInvoice(
  state: OpenAccountState,
  data: Extract<AccountEvent, { type: "InvoiceIssued" }>["data"],
): OpenAccountState {
  const { action, invoiceId, number, cause } = data;
  if ((action === "topup" ? state.credits : state.charges).has(cause)) {
    throw new CorruptStreamError("InvoiceIssued", `${cause} has its document`);
  }
  if (action === "topup") {
    const credits = state.credits.set(cause, {
      amountCents: BigInt(data.grossCents),
      invoiceId,
      number,
    });
    return { ...counted(state, "receipt", dateOf(data)), credits };
  }
  const charges = state.charges.add({
    chargeId: cause,
    invoiceId,
    invoiceNumber: number,
    action,
    pricesIncludeVat: data.pricesIncludeVat,
    netCents: BigInt(data.netCents),
    vatRateBasisPoints: BigInt(Math.round(data.vatRatePercent * 100)),
    askedCents: data.lines.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n),
    tax: data.terms?.tax ?? null,
    supply: data.terms?.supply ?? null,
    sold: data.terms?.sold ?? null,
    vatCents: BigInt(data.vatCents),
    grossCents: BigInt(data.grossCents),
    ...subjectOf(data),
    refundedBy: undefined,
    refunds: [],
  });
  return { ...counted(state, "invoice", dateOf(data)), charges };
}

function counted(
  state: OpenAccountState,
  series: keyof OpenAccountState["documentCounts"],
  date: string,
): OpenAccountState {
  return {
    ...state,
    // Older documents have no business date of their own, and a clock may have gone back before them.
    businessDate: date > state.businessDate ? date : state.businessDate,
    documentCounts: { ...state.documentCounts, [series]: state.documentCounts[series] + 1 },
  };
}

/** Returns a document's business date; the UTC day of its issue on an older one. */
function dateOf({ terms, issuedAt }: (CorrectionIssued | InvoiceIssued | ReceiptCancelled)["data"]): string {
  return terms?.businessDate ?? dayOf(issuedAt);
}

/** Returns the knowledge about a VAT id after a question: an unanswered question keeps the last answer. */
function checkAfter(
  { vatIdCheck }: OpenAccountState,
  { vatId, outcome, checkedAt: askedAt }: Extract<AccountEvent, { type: "VatIdChecked" }>["data"],
): VatIdCheck {
  const earlier = vatIdCheck?.vatId === vatId ? vatIdCheck : { validAt: null, unanswered: 0 };
  return outcome === "unanswered"
    ? { vatId, askedAt, validAt: earlier.validAt, unanswered: earlier.unanswered + 1 }
    : { vatId, askedAt, validAt: outcome === "valid" ? askedAt : null, unanswered: 0 };
}

function profileOf({
  accountId: _,
  postalCode,
  vatId,
  leitwegId,
  ...fields
}: Extract<AccountEvent, { type: "ProfileChanged" }>["data"]): AccountProfile {
  return { ...fields, postal_code: postalCode, vat_id: vatId, leitweg_id: leitwegId };
}
