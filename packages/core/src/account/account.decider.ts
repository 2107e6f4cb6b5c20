import { assertNever } from "../kernel/assert-never.ts";
import { accept, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { formatEuros, maximumCents } from "../money/money.ts";
import { totalsOf, type InvoiceLine } from "../pricing/totals.ts";
import type {
  AccountCommand,
  ChangeProfile,
  ChargeBalance,
  CreditBalance,
  ErasePersonalData,
  RecordVatIdCheck,
} from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import { evolve } from "./account.evolution.ts";
import { adjustBalance, isTakenBack, reverseTopUp } from "./adjust-balance.ts";
import { issueApiKey, revocation, revokeApiKey } from "./api-keys.ts";
import type { AccountState, OpenAccountState } from "./account.state.ts";
import type { Charge } from "./charge.ts";
import { recordDebtReminder } from "./debt.ts";
import { invoiceOf, receiptOf } from "./documents.ts";
import { givePaidOutBack, payOut } from "./pay-out.ts";
import { profileTexts, type ProfileFields } from "./profile.ts";
import { profileIncomplete, quoteCharge } from "./tax-of-charge.ts";
import { faultOfVatCountry } from "../tax/vat-id.ts";
import { grantRefund, refundCharge } from "./refund-charge.ts";

/** Rules of a customer's account (stream `account-<id>`): movements of its balance and their documents. */
export const account: Decider<AccountCommand, AccountState, AccountEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

/** Limits of a charge: an accepted charge must fit the stored invoice. */
export const chargeLimits = { lines: 100, quantity: 10_000 } as const;

function decide(command: AccountCommand, state: AccountState): Decision<AccountEvent> {
  if (command.type === "OpenAccount") {
    const { accountId, name, vatExempt, at } = command.data;
    if (state.status === "open") return reject("account-already-open");
    return accept({ type: "AccountOpened", data: { accountId, name, vatExempt, openedAt: at } });
  }
  if (state.status !== "open") return reject("account-not-open");

  switch (command.type) {
    case "ErasePersonalData":
      return erasePersonalData(command, state);
    case "ChangeProfile":
      return changeProfile(command, state);
    case "RecordVatIdCheck":
      return recordVatIdCheck(command, state);
    case "RecordDebtReminder":
      return recordDebtReminder(command, state);
    case "SetVatExemption": {
      const { vatExempt, at } = command.data;
      if (vatExempt === state.vatExempt) return accept();
      return accept({ type: "VatExemptionChanged", data: { vatExempt, changedAt: at } });
    }
    case "BeginDocumentSeries": {
      const { series, at } = command.data;
      if (series <= state.documentSeries) return accept();
      return accept({ type: "DocumentSeriesBegun", data: { series, begunAt: at } });
    }
    case "CreditBalance":
      return creditBalance(command, state);
    case "AdjustBalance":
      return adjustBalance(command, state);
    case "ReverseTopUp":
      return reverseTopUp(command, state);
    case "PayOut":
      return payOut(command, state);
    case "GivePaidOutBack":
      return givePaidOutBack(command, state);
    case "ChargeBalance":
      return chargeBalance(command, state);
    case "RefundRegistration":
    case "RefundCharge":
      return refundCharge(command, state);
    case "GrantRefund":
      return grantRefund(command, state);
    case "IssueApiKey":
      return issueApiKey(command, state);
    case "RevokeApiKey":
      return revokeApiKey(command, state);
    default:
      return assertNever(command);
  }
}

/** Maximum API keys revoked by one command, because a store accepts a thousand events in one append. */
export const revocationsAtOnce = 900;

/**
 * Erases personal data and revokes the API keys, so that nobody can sign in. New charges are refused, which also ends
 * automatic renewals; refunds still work. If the account has more keys than one command revokes, the last of several
 * commands erases the data.
 */
function erasePersonalData({ data }: ErasePersonalData, state: OpenAccountState): Decision<AccountEvent> {
  const { because, mustBeSettled = false, at } = data;
  if (state.erasedAt !== undefined) return accept();
  if (mustBeSettled && state.balanceCents !== 0n)
    return reject(
      "validation-failed",
      `The account has a balance of ${formatEuros(state.balanceCents)} EUR: nothing was erased. Repeat the command.`,
    );
  const live = [...state.apiKeys].filter(([, { revokedAt }]) => revokedAt === null).sort(([a], [b]) => a - b);
  const revocations = live
    .slice(0, revocationsAtOnce)
    .map(([keyId, { keyHash }]) => revocation(keyId, keyHash, at));
  if (live.length > revocationsAtOnce) return accept(...revocations);
  return accept(
    { type: "PersonalDataErased", data: { accountId: state.accountId, because, erasedAt: at } },
    ...revocations,
  );
}

/** Refuses a late retry, which would credit a reversed payment again. */
const takenBackHere =
  "The payment under this reference was taken back from this account, so the reference is not credited here again.";

function creditBalance({ data }: CreditBalance, state: OpenAccountState): Decision<AccountEvent> {
  const { reference, amountCents, at } = data;
  const known = state.credits.get(reference);
  if (known !== undefined) {
    if (isTakenBack(state, reference)) return reject("reference-conflict", takenBackHere);
    return known.amountCents === amountCents ? accept() : reject("reference-conflict");
  }
  const balanceCents = state.balanceCents + amountCents;
  if (amountCents <= 0n || balanceCents > maximumCents) {
    return reject("validation-failed", "The amount is out of range.", {
      fieldErrors: { amount: ["must be above zero, and the balance at most one billion euros"] },
    });
  }
  return accept(
    {
      type: "BalanceCredited",
      data: {
        reference,
        amountCents: String(amountCents),
        balanceAfterCents: String(balanceCents),
        creditedAt: at,
      },
    },
    receiptOf(data, state),
  );
}

function chargeBalance({ data }: ChargeBalance, state: OpenAccountState): Decision<AccountEvent> {
  const { chargeId, lines, invoiceId, at } = data;
  if (!areChargeable(lines)) {
    return reject("validation-failed", "The lines of the charge are out of range.", {
      fieldErrors: {
        lines: [
          "must be 1 to 100 lines with a whole quantity of 1 to 10,000 and a price of at most one billion euros",
        ],
      },
    });
  }
  const known = state.charges.get(chargeId);
  if (known !== undefined) return isSameCharge(known, data) ? accept() : reject("charge-conflict");
  if (state.erasedAt !== undefined)
    return reject(
      "account-not-open",
      "The account's personal data was erased: nothing new is charged to it.",
    );
  const quote = quoteCharge(data, state);
  if (quote.missing.length > 0) return { accepted: false, rejection: profileIncomplete(quote.missing) };
  const { grossCents } = quote.totals;
  if (grossCents < 0n) {
    return reject("validation-failed", "A charge cannot be negative.", {
      fieldErrors: { lines: ["must not sum below zero"] },
    });
  }
  if (grossCents > state.balanceCents) {
    return reject("insufficient-balance", undefined, {
      requiredCents: grossCents,
      availableCents: state.balanceCents,
    });
  }
  const balanceAfterCents = String(state.balanceCents - grossCents);
  return accept(
    {
      type: "BalanceCharged",
      data: { chargeId, invoiceId, grossCents: String(grossCents), balanceAfterCents, chargedAt: at },
    },
    invoiceOf(data, quote, state),
  );
}

/** Compares the requested prices, net of taxes: a repetition counts also if the account's taxes changed meanwhile. */
function isSameCharge(known: Charge, { lines, pricesIncludeVat }: ChargeBalance["data"]): boolean {
  return known.pricesIncludeVat === pricesIncludeVat && known.askedCents === totalsOf(lines, 0n).netCents;
}

function areChargeable(lines: readonly InvoiceLine[]): boolean {
  const { lines: most, quantity } = chargeLimits;
  return (
    lines.length >= 1 &&
    lines.length <= most &&
    lines.every(
      (line) =>
        Number.isInteger(line.quantity) &&
        line.quantity >= 1 &&
        line.quantity <= quantity &&
        line.unitNetCents <= maximumCents &&
        line.unitNetCents >= -maximumCents,
    )
  );
}

/** Records the register's answer about a VAT id; an answer about an earlier VAT id of the profile adds nothing. */
function recordVatIdCheck(
  { data: { vatId, outcome, consultationNumber, at } }: RecordVatIdCheck,
  { accountId, profile, erasedAt }: OpenAccountState,
): Decision<AccountEvent> {
  if (erasedAt !== undefined || profile.vat_id !== vatId) return accept();
  return accept({
    type: "VatIdChecked",
    data: { accountId, vatId, outcome, consultationNumber, checkedAt: at },
  });
}

/** Changes the profile. Fields that `changes` omits stay, except fields of the previous kind; no change adds no event. */
function changeProfile(
  { data: { changes, at } }: ChangeProfile,
  { accountId, erasedAt, profile }: OpenAccountState,
): Decision<AccountEvent> {
  if (erasedAt !== undefined)
    return reject("account-not-open", "The account's personal data was erased: it gets no new profile.");
  const { version, changedAt: _, ...known } = profile;
  const fields = { ...known, ...leftByKind(changes.kind, known.kind), ...changes };
  // A stored VAT id from before this rule stays valid until the id or the country changes.
  const isNamed = changes.vat_id !== undefined || changes.country !== undefined;
  const fault = isNamed ? faultOfVatCountry(fields.vat_id, fields.country) : undefined;
  if (fault !== undefined)
    return reject("validation-failed", `The field vat_id ${fault}.`, { fieldErrors: { vat_id: [fault] } });
  if (fields.kind === known.kind && profileTexts.every((field) => fields[field] === known[field]))
    return accept();
  const { postal_code: postalCode, vat_id: vatId, leitweg_id: leitwegId, ...rest } = fields;
  return accept({
    type: "ProfileChanged",
    data: { accountId, version: version + 1, ...rest, postalCode, vatId, leitwegId, changedAt: at },
  });
}

/** Returns the fields to clear when the kind changes: a person has no organisation; VAT id and Leitweg-ID belong to one kind. */
function leftByKind(
  kind: ProfileFields["kind"] | undefined,
  before: ProfileFields["kind"],
): Partial<ProfileFields> {
  if (kind === undefined || kind === null) return {};
  return {
    ...(kind === "person" && { organisation: "" }),
    ...(before !== null && kind !== before && { vat_id: "", leitweg_id: "" }),
  };
}
