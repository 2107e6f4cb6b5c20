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
  type Event,
  type Events,
  type OnUnreadable,
} from "./event.ts";

/** A movement of a balance with its cause and its document. */
export interface AccountMovement {
  /** Stored type of the event, for example `BalanceCharged.v1`. */
  readonly type: string;
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  readonly revision: bigint;
  /** Cents (EUR), negative for a charge. */
  readonly amountCents: bigint;
  /** Id of the charge, or the payment's reference. */
  readonly cause: string;
  /** Number of its document; empty if the stream contains none. */
  readonly documentNumber: string;
  readonly documentId: number;
  /** Description of the purchase or the payment. */
  readonly description: string;
  /** The acting person or program, for example `account:7`. */
  readonly actor: string;
  /** Id of the request; undefined if there is none. */
  readonly requestId: string | undefined;
}

/** An account's history up to an instant, from its events. */
export interface AccountHistory {
  /** Undefined if the account was not open yet. */
  readonly openedAt: string | undefined;
  /** Storage time of the stream's first event; undefined for an empty stream. */
  readonly firstTime: string | undefined;
  readonly name: string;
  readonly movements: readonly AccountMovement[];
  /** Latest storage time among the included events; undefined if there are none. */
  readonly lastTime: string | undefined;
  /** Revision of the last included event; -1 if there is none. */
  readonly revision: bigint;
  /** Sentences on movements and documents that the history omits. */
  readonly unreadable: readonly string[];
}

/**
 * Reads the history of an account up to an instant, inclusive.
 * @param events events of the account's stream.
 * @param asOf undefined includes all events.
 */
export async function accountHistory(events: Events, asOf: string | undefined): Promise<AccountHistory> {
  let openedAt: string | undefined;
  let firstTime: string | undefined;
  let lastTime: string | undefined;
  let name = "";
  let revision = -1n;
  let isErased = false;
  const movements: AccountMovement[] = [];
  const unreadable: string[] = [];
  for await (const event of events) {
    firstTime ??= event.time;
    // An erasure applies to all instants; a store from before names were sealed still contains the name.
    if (bareType(event) === "PersonalDataErased") isErased = true;
    // The clock may have run backwards between two events, so later events may still be included.
    if (asOf !== undefined && event.time > asOf) continue;
    if (event.leftOut !== undefined) {
      moneyEvent(event, (found) => unreadable.push(found));
      continue;
    }
    revision = event.revision;
    if (lastTime === undefined || event.time > lastTime) lastTime = event.time;
    if (bareType(event) === "AccountOpened") {
      openedAt = event.time;
      // Read without the schema, which would refuse an erased or sealed name.
      name = textMember(parseMembers(event.data), "name") ?? "";
      continue;
    }
    addEvent(movements, event, (found) => unreadable.push(found));
  }
  name = isErased ? erasedText : name;
  return { openedAt, firstTime, lastTime, name, movements, revision, unreadable };
}

/** Event types of movements and documents. */
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
  "BalancePaidOut",
  "PaidOutReturned",
] as const satisfies readonly HostingEvent["type"][];

export type MoneyEvent = Extract<HostingEvent, { type: (typeof moneyTypes)[number] }>;

export type MoneyDocument = Extract<
  MoneyEvent,
  { type: "InvoiceIssued" | "CorrectionIssued" | "ReceiptCancelled" }
>;

/** Reads a movement or a document; returns undefined for other events, and for those that do not count in their streams. */
export function moneyEvent(auditedEvent: Event, onUnreadable: OnUnreadable): MoneyEvent | undefined {
  return eventAmong(moneyTypes, auditedEvent, onUnreadable);
}

/** Reads an event of certain types; returns undefined for other events, and for those that do not count in their streams. */
export function eventAmong<Type extends HostingEvent["type"]>(
  types: readonly Type[],
  auditedEvent: Event,
  onUnreadable: OnUnreadable,
): Extract<HostingEvent, { type: Type }> | undefined {
  const bare = bareType(auditedEvent);
  if (!types.some((type) => type === bare)) return undefined;
  const leaveOut = (reason: string): void => {
    onUnreadable(`${placeOf(auditedEvent)}: ${reason}`);
  };
  if (auditedEvent.leftOut !== undefined) {
    leaveOut(auditedEvent.leftOut);
    return undefined;
  }
  try {
    readMetadata(auditedEvent.metadata);
    const event = hostingCodec.decode(auditedEvent.type, auditedEvent.data);
    return isAmong(types, event) ? event : undefined;
  } catch (error) {
    if (!(error instanceof UndecodableEventError)) throw error;
    leaveOut(error.message);
    return undefined;
  }
}

function isAmong<Type extends HostingEvent["type"]>(
  types: readonly Type[],
  event: HostingEvent,
): event is Extract<HostingEvent, { type: Type }> {
  return types.some((type) => type === event.type);
}

function addEvent(movements: AccountMovement[], auditedEvent: Event, onUnreadable: OnUnreadable): void {
  const event = moneyEvent(auditedEvent, onUnreadable);
  switch (event?.type) {
    case undefined:
      return;
    case "BalanceCredited": {
      const { reference, amountCents } = event.data;
      movements.push(movement(auditedEvent, BigInt(amountCents), reference, "Payment received"));
      return;
    }
    case "BalanceAdjusted": {
      const { reference, amountCents, reason } = event.data;
      const description = `${adjustmentName(event.data)}: ${reason}`;
      movements.push(movement(auditedEvent, BigInt(amountCents), reference, description));
      return;
    }
    case "BalancePaidOut":
    case "PaidOutReturned": {
      const { reference, amountCents, reason } = event.data;
      const cents = event.type === "BalancePaidOut" ? -BigInt(amountCents) : BigInt(amountCents);
      movements.push(movement(auditedEvent, cents, reference, `${payoutName(event)}: ${reason}`));
      return;
    }
    case "BalanceCharged": {
      const { chargeId, grossCents } = event.data;
      movements.push(movement(auditedEvent, -BigInt(grossCents), chargeId, "Charge"));
      return;
    }
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded": {
      const { chargeId, grossCents, reason } = event.data;
      movements.push(movement(auditedEvent, BigInt(grossCents), chargeId, `Refund: ${reason}`));
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

/** Returns the name of a movement of money that goes back to the customer. */
export function payoutName({ type, data }: PaidOutEvent): string {
  const name = data.to === "source" ? "Refund to the source" : "Payout";
  return type === "BalancePaidOut" ? name : `${name} did not arrive`;
}

type PaidOutEvent = Extract<HostingEvent, { type: "BalancePaidOut" | "PaidOutReturned" }>;

/** Returns the name of a staff correction, and whether staff allowed a debt. */
export function adjustmentName({ kind, debtAllowed }: Pick<BalanceAdjusted, "kind" | "debtAllowed">): string {
  return `${adjustmentNames[kind]}${debtAllowed ? ", debt allowed" : ""}`;
}

type BalanceAdjusted = Extract<HostingEvent, { type: "BalanceAdjusted" }>["data"];

function movement(event: Event, amountCents: bigint, cause: string, description: string): AccountMovement {
  const { actor, requestId } = originOf(event);
  const { type, time, revision } = event;
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

/** Assigns a document to the preceding movement if both have the same cause, because they share an append. */
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

/** Returns the id of the document's charge, or the payment's reference. */
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
