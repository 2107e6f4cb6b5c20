import {
  erasedText,
  hostingCodec,
  placeOf,
  readMetadata,
  UndecodableEventError,
  type HostingEvent,
} from "@hostledger/core";
import {
  bareType,
  originOf,
  parseMembers,
  textMember,
  type Fact,
  type Facts,
  type OnUnreadable,
  type UnreadableFact,
} from "./fact.ts";

/** A movement of a balance with its cause and its document. */
export interface AccountMovement {
  /** Stored type of the fact, for example `BalanceCharged.v1`. */
  readonly type: string;
  /** When it was stored: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** Revision in the account's stream. */
  readonly revision: bigint;
  /** Cents (EUR), negative for a charge. */
  readonly amountCents: bigint;
  /** The charge, or the payment's reference. */
  readonly cause: string;
  /** Number of its document; empty where the stream does not show one. */
  readonly documentNumber: string;
  /** Id of its document. */
  readonly documentId: number;
  /** What it was for, in words. */
  readonly description: string;
  /** Who acted, for example `account:7`. */
  readonly actor: string;
  /** The request that led to it. */
  readonly requestId: string | undefined;
}

/** An account as its facts tell, up to an instant. */
export interface AccountHistory {
  /** Undefined when no opening counted. */
  readonly openedAt: string | undefined;
  /** When the stream's first fact was stored; undefined when there is none at all. */
  readonly firstTime: string | undefined;
  readonly name: string;
  /** In the order of the stream. */
  readonly movements: readonly AccountMovement[];
  /** When the last fact that counted was stored, by its own time; undefined when none did. */
  readonly lastTime: string | undefined;
  /** Revision of the last fact that counted; -1 when none did. */
  readonly revision: bigint;
  /** Movements and documents that cannot be read and are left out. */
  readonly unreadable: readonly UnreadableFact[];
}

/**
 * Folds the facts of one account's stream that were stored up to an instant, inclusive; all of them where there is none.
 */
export async function accountHistory(facts: Facts, asOf: string | undefined): Promise<AccountHistory> {
  let openedAt: string | undefined;
  let firstTime: string | undefined;
  let lastTime: string | undefined;
  let name = "";
  let revision = -1n;
  let isErased = false;
  const movements: AccountMovement[] = [];
  const unreadable: UnreadableFact[] = [];
  for await (const fact of facts) {
    firstTime ??= fact.time;
    // What is erased is erased at every instant; a store that was written before names were sealed still has it.
    if (bareType(fact) === "PersonalDataErased") isErased = true;
    // A clock may have been set back between two facts, so a late one does not end the search.
    if (asOf !== undefined && fact.time > asOf) continue;
    revision = fact.revision;
    if (lastTime === undefined || fact.time > lastTime) lastTime = fact.time;
    if (bareType(fact) === "AccountOpened") {
      openedAt = fact.time;
      // Read by itself: an erased or sealed name is no name the schema would have to take.
      name = textMember(parseMembers(fact.data), "name") ?? "";
      continue;
    }
    addFact(movements, fact, (found) => unreadable.push(found));
  }
  name = isErased ? erasedText : name;
  return { openedAt, firstTime, lastTime, name, movements, revision, unreadable };
}

/** Movements and documents of an account: everything that money is told by. */
export const moneyTypes = [
  "BalanceCredited",
  "BalanceAdjusted",
  "BalanceCharged",
  "RegistrationRefunded",
  "ChargeRefunded",
  "RefundGranted",
  "InvoiceIssued",
  "CorrectionIssued",
  "ReceiptCancelled",
] as const satisfies readonly HostingEvent["type"][];

/** A movement or a document, in today's shape. */
export type MoneyEvent = Extract<HostingEvent, { type: (typeof moneyTypes)[number] }>;

/** A document. */
export type MoneyDocument = Extract<
  MoneyEvent,
  { type: "InvoiceIssued" | "CorrectionIssued" | "ReceiptCancelled" }
>;

/** Reads a movement or a document; undefined for any other fact, and for one that cannot be read or contradicts its stream. */
export function moneyEvent(fact: Fact, onUnreadable: OnUnreadable): MoneyEvent | undefined {
  const bare = bareType(fact);
  if (!moneyTypes.some((type) => type === bare)) return undefined;
  const { stream, id, contradiction } = fact;
  const leaveOut = (reason: string): void => {
    onUnreadable({ stream, id, sentence: `${placeOf(fact)}: ${reason}` });
  };
  if (contradiction !== undefined) {
    leaveOut(contradiction);
    return undefined;
  }
  try {
    readMetadata(fact.metadata);
    const event = hostingCodec.decode(fact.type, fact.data);
    return isMoneyEvent(event) ? event : undefined;
  } catch (error) {
    if (!(error instanceof UndecodableEventError)) throw error;
    leaveOut(error.message);
    return undefined;
  }
}

function isMoneyEvent(event: HostingEvent): event is MoneyEvent {
  return moneyTypes.some((type) => type === event.type);
}

function addFact(movements: AccountMovement[], fact: Fact, onUnreadable: OnUnreadable): void {
  const event = moneyEvent(fact, onUnreadable);
  switch (event?.type) {
    case undefined:
      return;
    case "BalanceCredited": {
      const { reference, amountCents } = event.data;
      movements.push(movement(fact, BigInt(amountCents), reference, "Payment received"));
      return;
    }
    case "BalanceAdjusted": {
      const { reference, amountCents, reason } = event.data;
      const description = `${adjustmentName(event.data)}: ${reason}`;
      movements.push(movement(fact, BigInt(amountCents), reference, description));
      return;
    }
    case "BalanceCharged": {
      const { chargeId, grossCents } = event.data;
      movements.push(movement(fact, -BigInt(grossCents), chargeId, "Charge"));
      return;
    }
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded": {
      const { chargeId, grossCents, reason } = event.data;
      movements.push(movement(fact, BigInt(grossCents), chargeId, `Refund: ${reason}`));
      return;
    }
    case "InvoiceIssued":
    case "CorrectionIssued":
    case "ReceiptCancelled":
      document(movements, event);
  }
}

const adjustmentNames = {
  credit: "Credit by staff",
  debit: "Debit by staff",
  "top-up-reversed": "Payment taken back",
} as const;

/** What a correction of staff is called, and whether a debt was allowed. */
export function adjustmentName({ kind, debtAllowed }: Pick<BalanceAdjusted, "kind" | "debtAllowed">): string {
  return `${adjustmentNames[kind]}${debtAllowed ? ", debt allowed" : ""}`;
}

type BalanceAdjusted = Extract<HostingEvent, { type: "BalanceAdjusted" }>["data"];

function movement(fact: Fact, amountCents: bigint, cause: string, description: string): AccountMovement {
  const { actor, requestId } = originOf(fact);
  const { type, time, revision } = fact;
  return {
    type,
    time,
    revision,
    amountCents,
    cause,
    description,
    actor,
    requestId,
    documentNumber: "",
    documentId: 0,
  };
}

/** A document is one append with its movement, so it belongs to the last one if it names the same cause. */
function document(movements: AccountMovement[], event: MoneyDocument): void {
  const last = movements.at(-1);
  const cause = causeOf(event);
  if (last?.cause !== cause || last.documentNumber !== "") return;
  const described = event.type === "InvoiceIssued" ? descriptionOf(event.data.lines) : "";
  movements[movements.length - 1] = {
    ...last,
    documentNumber: event.data.number,
    documentId: event.type === "InvoiceIssued" ? event.data.invoiceId : event.data.correctionId,
    description: described === "" ? last.description : described,
  };
}

/** The charge that a document is about, or the payment's reference. */
export function causeOf({ type, data }: MoneyDocument): string {
  switch (type) {
    case "InvoiceIssued":
      return data.cause;
    case "CorrectionIssued":
      return data.chargeId;
    case "ReceiptCancelled":
      return data.reference;
  }
}

function descriptionOf(lines: readonly { readonly description: string }[]): string {
  return lines.map(({ description }) => description).join("; ");
}
