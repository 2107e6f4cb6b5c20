import { readDocument, type Document } from "./document.ts";
import { cents, number, property, text, type Event, type Report } from "./books-event.ts";

/** A charge and its outcome. */
export interface ChargeEntry {
  readonly chargeId: string;
  readonly accountId: number;
  readonly invoiceId: number;
  readonly grossCents: bigint;
  /** The type of the event by which its order returned it. */
  refundedBy: string | undefined;
  /** Number of refunds; their sum follows. */
  refunds: number;
  refundedCents: bigint;
}

/** An account, folded from its events. */
export interface AccountEntry {
  readonly accountId: number;
  balanceCents: bigint;
  readonly charges: Map<string, ChargeEntry>;
  /** In the order of their issue. */
  readonly documents: Document[];
}

interface Folding {
  readonly entry: AccountEntry;
  readonly report: Report;
  /** Movement whose document must be the next event. */
  awaited: { readonly event: Event; readonly cause: string; readonly document: string } | undefined;
}

/**
 * Audits every account: the balance is the sum of its movements, and below zero only if staff allowed it; every
 * movement has its document.
 */
export function auditAccounts(
  storedEvents: readonly Event[],
  report: Report,
): ReadonlyMap<number, AccountEntry> {
  const accounts = new Map<number, AccountEntry>();
  const streams = Map.groupBy(storedEvents, ({ stream }) => stream);
  for (const [stream, events] of streams) {
    if (!stream.startsWith("account-")) continue;
    const accountId = Number(stream.slice("account-".length));
    const entry: AccountEntry = { accountId, balanceCents: 0n, charges: new Map(), documents: [] };
    const folding: Folding = { entry, report, awaited: undefined };
    for (const event of events) fold(folding, event);
    if (folding.awaited !== undefined) report(`${stream} ends without the document of its last movement`);
    accounts.set(accountId, entry);
  }
  return accounts;
}

/** All charges by their ids, which are nobody else's. */
export function allCharges(
  accounts: ReadonlyMap<number, AccountEntry>,
  report: Report,
): ReadonlyMap<string, ChargeEntry> {
  const charges = new Map<string, ChargeEntry>();
  for (const account of accounts.values()) {
    for (const charge of account.charges.values()) {
      if (charges.has(charge.chargeId)) report(`${charge.chargeId} was charged to two accounts`);
      charges.set(charge.chargeId, charge);
    }
  }
  return charges;
}

function fold(folding: Folding, event: Event): void {
  const { data, type } = event;
  const isDocument = ["InvoiceIssued", "CorrectionIssued", "ReceiptCancelled"].includes(type);
  if (!isDocument && folding.awaited !== undefined) {
    folding.report(`${place(folding.awaited.event)} is not followed by its document`);
    folding.awaited = undefined;
  }
  switch (type) {
    case "BalanceCredited":
      move(folding, event, cents(data, "amountCents"));
      folding.awaited = { event, cause: text(data, "reference"), document: "InvoiceIssued" };
      break;
    case "BalanceAdjusted":
      // The amount is below zero where it went out. A correction of staff has no document.
      move(folding, event, cents(data, "amountCents"));
      if (property(data, "kind") === "top-up-reversed")
        folding.awaited = { event, cause: text(data, "reference"), document: "ReceiptCancelled" };
      break;
    case "BalancePaidOut":
      move(folding, event, -cents(data, "amountCents"));
      break;
    case "PaidOutReturned":
      move(folding, event, cents(data, "amountCents"));
      break;
    case "BalanceCharged":
      charge(folding, event);
      break;
    case "RegistrationRefunded":
    case "ChargeRefunded":
    case "RefundGranted":
      refund(folding, event);
      break;
    case "InvoiceIssued":
    case "CorrectionIssued":
    case "ReceiptCancelled":
      issue(folding, event);
      break;
    default:
      break;
  }
}

function charge(folding: Folding, event: Event): void {
  const { data } = event;
  const { accountId, charges } = folding.entry;
  const chargeId = text(data, "chargeId");
  const grossCents = cents(data, "grossCents");
  if (charges.has(chargeId)) folding.report(`${chargeId} was charged twice to account ${String(accountId)}`);
  move(folding, event, -grossCents);
  charges.set(chargeId, {
    chargeId,
    accountId,
    invoiceId: number(data, "invoiceId"),
    grossCents,
    refundedBy: undefined,
    refunds: 0,
    refundedCents: 0n,
  });
  folding.awaited = { event, cause: chargeId, document: "InvoiceIssued" };
}

function refund(folding: Folding, event: Event): void {
  const { data } = event;
  const chargeId = text(data, "chargeId");
  const grossCents = cents(data, "grossCents");
  const charged = folding.entry.charges.get(chargeId);
  if (charged === undefined) folding.report(`${place(event)} refunds ${chargeId}, which was never charged`);
  else {
    if (charged.refundedBy !== undefined) folding.report(`${chargeId} was refunded twice`);
    charged.refunds += 1;
    charged.refundedCents += grossCents;
    const isByStaff = event.type === "RefundGranted";
    const isRight = isByStaff
      ? charged.refundedCents <= charged.grossCents
      : charged.refundedCents === charged.grossCents;
    if (!isRight) {
      folding.report(
        `${chargeId} was refunded with ${String(charged.refundedCents)} cents, charged with ${String(charged.grossCents)}`,
      );
    }
    if (!isByStaff) charged.refundedBy = event.type;
  }
  move(folding, event, grossCents);
  folding.awaited = { event, cause: chargeId, document: "CorrectionIssued" };
}

function move({ entry, report }: Folding, event: Event, amountCents: bigint): void {
  entry.balanceCents += amountCents;
  const reported = cents(event.data, "balanceAfterCents");
  if (reported !== entry.balanceCents) {
    report(
      `${place(event)} tells a balance of ${String(reported)} cents, it is ${String(entry.balanceCents)}`,
    );
  }
  const isDebtAllowed = event.type === "BalanceAdjusted" && property(event.data, "debtAllowed") === true;
  if (entry.balanceCents < 0n && amountCents < 0n && !isDebtAllowed)
    report(`${place(event)} leaves a balance of ${String(entry.balanceCents)} cents`);
}

function issue(folding: Folding, event: Event): void {
  const { awaited, entry, report } = folding;
  const document = readDocument(entry.accountId, event);
  entry.documents.push(document);
  folding.awaited = undefined;
  const belongs =
    awaited?.document === event.type &&
    awaited.cause === document.cause &&
    awaited.event.position + 1 === event.position;
  if (!belongs) {
    report(`${place(event)} is a document that does not follow its movement`);
    return;
  }
  const moved = cents(
    awaited.event.data,
    awaited.event.type === "BalanceCredited" || awaited.event.type === "BalanceAdjusted"
      ? "amountCents"
      : "grossCents",
  );
  const signed = event.type === "CorrectionIssued" ? -moved : moved;
  if (signed !== document.grossCents) {
    report(
      `${document.number} is over ${String(document.grossCents)} cents, its movement over ${String(signed)}`,
    );
  }
}

function place({ stream, revision, type }: Event): string {
  return `${stream}@${String(revision)} (${type})`;
}
