import { hash } from "node:crypto";

import { isTeamCharge } from "@hostledger/core";

import {
  bareType,
  type Event,
  type Events,
  numberMember,
  originOf,
  parseMembers,
  textMember,
} from "../event.ts";
import { made, type Report, unknown } from "../report.ts";
import { deliveries, type ExplanationStep, stepsOf } from "./steps.ts";
import { moneyEvent, type MoneyEvent } from "../account-history.ts";

/** `credited` for a receipt, `open` while its process runs. Team charges count as delivered. */
export type ExplanationOutcome = "delivered" | "refunded" | "credited" | "open";

export interface Explanation {
  readonly number: string;
  readonly invoiceId: number;
  readonly accountId: number;
  /** Id of the charge, or the payment's reference. */
  readonly cause: string;
  readonly grossCents: bigint;
  readonly outcome: ExplanationOutcome;
  /** Steps from the request to the end, in order of time. */
  readonly steps: readonly ExplanationStep[];
}

export interface FoundExplanation extends Explanation {
  /** Sentences on movements and documents of the account that the explanation omits. */
  readonly unreadable: readonly string[];
}

export interface ExplanationRequest {
  /** Number of the invoice, receipt or correction, or its id in digits. */
  readonly invoice: string;
  /** The account, from `accountOfDocument(number)`, or from the read model for an id. */
  readonly accountId: number;
  /** Returns a stream's events in order; empty if the stream does not exist. */
  readonly readStream: (stream: string) => Events;
}

/** Explains an invoice from request to delivery or refund. Reads only streams that belong to the charge. */
export async function explainInvoice(request: ExplanationRequest): Promise<Report<FoundExplanation>> {
  const { invoice, accountId, readStream } = request;
  const books = await accountBooks(readStream(`account-${String(accountId)}`));
  const issued = books.find(invoice);
  if (issued === undefined) return unknown(`There is no invoice ${invoice}.`);
  const { number, invoiceId, cause, grossCents, action } = issued;
  const own = books.eventsOf(cause);
  const events = action === "topup" ? own : [...own, ...(await eventsAround(cause, accountId, readStream))];
  const steps = stepsOf(events, cause);
  return made({
    number,
    invoiceId,
    accountId,
    cause,
    grossCents: BigInt(grossCents),
    outcome: action === "topup" ? "credited" : outcomeOf(steps, cause),
    steps,
    unreadable: books.unreadable,
  });
}

/** Returns the result of an order: its own refund decides, then a delivery; otherwise the run is open. */
function outcomeOf(steps: readonly ExplanationStep[], cause: string): ExplanationOutcome {
  const types = new Set(steps.map(({ event }) => bareType(event)));
  if (types.has("RegistrationRefunded") || types.has("ChargeRefunded")) return "refunded";
  const isDelivered = isTeamCharge(cause) || [...types].some((type) => deliveries.has(type));
  return isDelivered ? "delivered" : "open";
}

/** Fields with which events of a domain or a server name their run. */
const runMembers = ["registrationId", "renewalId", "orderId", "chargeId"] as const;

/**
 * Returns the events around a charge outside the account's stream: of its run, of the run's domain or server, and of the
 * request if it had an idempotency key.
 * @param cause id of the charge, which is the name of its run's stream.
 */
async function eventsAround(
  cause: string,
  accountId: number,
  readStream: (stream: string) => Events,
): Promise<readonly Event[]> {
  const run = await collect(readStream(cause));
  const [first] = run;
  if (first === undefined) return [];
  const { correlationId: correlation } = originOf(first);
  const belongs = (event: Event): boolean => {
    const data = parseMembers(event.data);
    return (
      runMembers.some((name) => textMember(data, name) === cause) ||
      (correlation !== undefined && originOf(event).correlationId === correlation)
    );
  };
  const subject = subjectOf(first);
  const request = requestOf(first, accountId);
  const [ofSubject, ofRequest] = await Promise.all([
    subject === undefined ? [] : collect(readStream(subject), belongs),
    request === undefined ? [] : collect(readStream(request)),
  ]);
  return [...ofRequest, ...ofSubject, ...run];
}

/** Returns the stream of the domain or server in the run's first event. */
function subjectOf({ data }: Event): string | undefined {
  const members = parseMembers(data);
  const serverId = numberMember(members, "serverId");
  if (serverId !== undefined) return `server-${String(serverId)}`;
  const name = textMember(members, "name");
  return name === undefined ? undefined : `domain-${name}`;
}

/** Returns the stream of the run's request, whose name is a hash of the account and its key. */
function requestOf(event: Event, accountId: number): string | undefined {
  const { idempotencyKey } = originOf(event);
  if (idempotencyKey === undefined) return undefined;
  return `request-${hash("sha256", `${String(accountId)}\0${idempotencyKey}`, "hex")}`;
}

/** The events that count. */
async function collect(
  events: Events,
  wanted: (event: Event) => boolean = () => true,
): Promise<readonly Event[]> {
  const collected: Event[] = [];
  for await (const event of events) if (event.leftOut === undefined && wanted(event)) collected.push(event);
  return collected;
}

type Issued = Extract<MoneyEvent, { type: "InvoiceIssued" }>["data"];

/** An account's documents with their causes. */
interface AccountBooks {
  /** Finds the invoice with this number or id; a correction's number or id finds the corrected invoice. */
  readonly find: (invoice: string) => Issued | undefined;
  /** Returns the movements and documents of a charge or payment, in the order of the stream. */
  readonly eventsOf: (cause: string) => readonly Event[];
  /** Sentences on movements and documents that do not count. */
  readonly unreadable: readonly string[];
}

async function accountBooks(events: Events): Promise<AccountBooks> {
  const invoices = new Map<string, Issued>();
  const byCause = new Map<string, Event[]>();
  const unreadable: string[] = [];
  for await (const auditedEvent of events) {
    const event = moneyEvent(auditedEvent, (found) => unreadable.push(found));
    if (event === undefined) continue;
    if (event.type === "InvoiceIssued") {
      invoices.set(event.data.number, event.data);
      invoices.set(String(event.data.invoiceId), event.data);
    } else if (event.type === "CorrectionIssued" || event.type === "ReceiptCancelled") {
      const corrected = invoices.get(event.data.correctsNumber);
      if (corrected !== undefined) {
        invoices.set(event.data.number, corrected);
        invoices.set(String(event.data.correctionId), corrected);
      }
    }
    const cause = causeOf(event);
    byCause.set(cause, [...(byCause.get(cause) ?? []), auditedEvent]);
  }
  return {
    find: (invoice) => invoices.get(invoice),
    eventsOf: (cause) => byCause.get(cause) ?? [],
    unreadable,
  };
}

function causeOf(event: MoneyEvent): string {
  switch (event.type) {
    case "BalanceCredited":
    case "BalanceAdjusted":
    case "ReceiptCancelled":
    case "BalancePaidOut":
    case "PaidOutReturned":
      return event.data.reference;
    case "InvoiceIssued":
      return event.data.cause;
    case "BalanceCharged":
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
    case "CorrectionIssued":
      return event.data.chargeId;
  }
}
