import { addMilliseconds, addYears } from "../calendar/calendar.ts";
import type { RenewalFailure } from "../domain/domain.events.ts";
import { renewalLines, restorationLines } from "../pricing/domain-orders.ts";
import type { PaidOrderDefinition, Progress } from "./paid-order/paid-order.definition.ts";
import type { OrderFailure } from "./paid-order/paid-order.state.ts";
import { renewalRunEvents, type RenewalEvent, type RenewalRunStarted } from "./domain-renewal.events.ts";
import { inquirySchedule, settlementSchedule } from "./retry-schedule.ts";

/** What the renewal is about, as its first fact tells. */
export type Renewal = RenewalRunStarted["data"];

/** What the registrar says of the name: until when it holds it. */
export interface RenewedUntil {
  readonly expiresAt: string;
}

/** Registrars count days in time zones of their own: dates so far apart are the same, in milliseconds. */
const toleranceMs = 2 * 86_400_000;

/**
 * The renewal of a domain for one expiry date. Its start on the name's stream begins it:
 *
 *     charge → order → confirm → renewed
 *       │        ├ not reached ────────────────────→ refund → tell the name that it failed
 *       │        └ refused, unanswered → ask ┬ renewed ─→ confirm …
 *       │                                    ├ not renewed → refund → tell …
 *       │                                    └ silent → ask on, with the charge standing; at last staff is asked
 *       └ declined → tell the name that it failed
 *
 * A registrar cannot take a renewal back: there is no cancel, so the charge goes back only when it is certain that
 * nothing was renewed. The order names the expiry date that it renews (RFC 5731 §3.2.3): repeated, it renews once.
 *
 * A restoration (RFC 3915) is a renewal of a name that the registry withholds: it has its price and its order, and all else in
 * common. What was given back and is not renewed, though it was ordered again, is for staff: the registry has its fee.
 */
export const domainRenewal: PaidOrderDefinition<Renewal, RenewedUntil, RenewalEvent> = {
  name: "renewal",
  category: "renewal",
  begins: {
    stream: (name) => `domain-${name}`,
    by: (event) => (event.type === "DomainRenewalStarted" ? event.data : undefined),
  },
  payer: ({ accountId, renewalId }) => ({ accountId, chargeId: renewalId }),
  charge: ({ renewalId, accountId, domainId, name, years, yearNetCents, restoration }) => ({
    accountId,
    chargeId: renewalId,
    action: "renewal",
    lines: (restoration ? restorationLines : renewalLines)(name, years, BigInt(yearNetCents)),
    pricesIncludeVat: false,
    duration: years,
    domainId,
    serverId: null,
    planId: null,
  }),
  refundOf: "charge",

  provider: {
    order: (renewal) => ordered(renewal, renewal.restoration ? "restore" : "renew"),
    inquire: (renewal) =>
      renewal.restoration
        ? ordered(renewal, "inquire-restoration")
        : { to: "registrar", type: "inquire-expiry", name: renewal.name },
    progress,
    // It may say no since the name was renewed already: by an order of this run, or an earlier one that came late.
    asksAfterRefusal: true,
    words: {
      notCarriedOut: "The registrar did not carry out the order",
      silent: "The registrar does not tell whether it renewed the domain",
    },
    inquiries: inquirySchedule,
    settlement: settlementSchedule,
  },

  confirm({ renewalId, name }, charge, held, at) {
    if (charge === null || held === undefined) throw new Error("a renewal is confirmed with both");
    const data = { renewalId, ...charge, ...held, at };
    return { to: "domain", id: name, command: { type: "RecordRenewed", data } };
  },

  release: ({ renewalId, name }, failure, _why, at) => ({
    to: "domain",
    id: name,
    command: { type: "RecordRenewalFailed", data: { renewalId, ...wordsFor(failure), at } },
  }),

  facts: renewalRunEvents,
};

function ordered<Type extends string>(
  { renewalId: clientTransactionId, name, years, expiresAt: currentExpiresAt }: Renewal,
  type: Type,
) {
  return { to: "registrar", type, clientTransactionId, name, currentExpiresAt, years } as const;
}

/** What the registrar's expiry date tells of a renewal. */
function progress({ expiresAt: before, years, restoration }: Renewal, { expiresAt }: RenewedUntil): Progress {
  if (expiresAt >= addMilliseconds(addYears(before, years), -toleranceMs)) return { kind: "held" };
  if (expiresAt <= addMilliseconds(before, toleranceMs))
    return restoration
      ? { kind: "odd", words: "The registrar holds the name again, and has not renewed it" }
      : { kind: "not-held" };
  return {
    kind: "odd",
    words: `The registrar has the expiry date ${expiresAt}, which is not this renewal's`,
  };
}

/** The failure as the domain's own stream tells it. */
function wordsFor(failure: OrderFailure): { reason: RenewalFailure; requiredCents: string | null } {
  switch (failure.kind) {
    case "failed":
      return { reason: "registrar-failed", requiredCents: null };
    case "abandoned":
      return { reason: "abandoned", requiredCents: null };
    case "declined": {
      const { code, requiredCents } = failure.refusal;
      return { reason: code === "insufficient-balance" ? code : "charge-refused", requiredCents };
    }
  }
}
