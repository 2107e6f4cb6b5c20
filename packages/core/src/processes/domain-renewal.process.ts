import { periodOf } from "../account/document-terms.ts";
import { addMilliseconds, addYears } from "../calendar/calendar.ts";
import type { RenewalFailure } from "../domain/domain.events.ts";
import { renewalLines, restorationLines } from "../pricing/domain-orders.ts";
import type { PaidOrderDefinition, Progress } from "./paid-order/paid-order.definition.ts";
import type { OrderFailure } from "./paid-order/paid-order.state.ts";
import { renewalRunEvents, type RenewalEvent, type RenewalRunStarted } from "./domain-renewal.events.ts";
import { inquirySchedule, settlementSchedule } from "./retry-schedule.ts";

/** The subject of a renewal run, from its first event. */
export type Renewal = RenewalRunStarted["data"];

/** The registrar's answer to an inquiry: the expiry date of the name. */
export interface RenewedUntil {
  readonly expiresAt: string;
}

/** Tolerance between expiry dates in milliseconds, because registrars count days in different time zones. */
const toleranceMs = 2 * 86_400_000;

/**
 * Renews a domain for one expiry date. `RenewalStarted` in the domain's stream begins the run:
 *
 *     charge → order → confirm → renewed
 *       │        ├ not reached ────────────────────→ refund → record the failure
 *       │        └ refused, unanswered → ask ┬ renewed ─→ confirm …
 *       │                                    ├ not renewed → refund → record …
 *       │                                    └ silent → ask on, with the charge standing; at last staff decide
 *       └ declined → record the failure
 *
 * Registrars cannot cancel a renewal. The charge is therefore returned only when it is certain that nothing was renewed.
 * The order names the expiry date that it renews (RFC 5731 §3.2.3), so a repeated order renews once.
 *
 * A restoration (RFC 3915) renews a name that the registry withholds, with its own price and order. If a restored name
 * was ordered again and is still not renewed, staff decide, because the registry has charged its fee.
 */
export const domainRenewal: PaidOrderDefinition<Renewal, RenewedUntil, RenewalEvent> = {
  name: "renewal",
  category: "renewal",
  begins: {
    stream: (name) => `domain-${name}`,
    by: (event) => (event.type === "DomainRenewalStarted" ? event.data : undefined),
  },
  payer: ({ accountId, renewalId }) => ({ accountId, chargeId: renewalId }),
  charge: ({ renewalId, accountId, domainId, name, years, yearNetCents, restoration, expiresAt }) => ({
    accountId,
    chargeId: renewalId,
    action: "renewal",
    lines: (restoration ? restorationLines : renewalLines)(name, years, BigInt(yearNetCents)),
    pricesIncludeVat: false,
    duration: years,
    domainId,
    serverId: null,
    planId: null,
    supply: periodOf(expiresAt, 12 * years),
    sold: { domain: name, server: null, plan: null },
  }),
  refundOf: "charge",

  provider: {
    order: (renewal) => ordered(renewal, renewal.restoration ? "restore" : "renew"),
    inquire: (renewal) =>
      renewal.restoration
        ? ordered(renewal, "inquire-restoration")
        : { to: "registrar", type: "inquire-expiry", name: renewal.name },
    progress,
    // The registrar may refuse because an earlier order already renewed the name.
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

  events: renewalRunEvents,
};

function ordered<Type extends string>(
  { renewalId: clientTransactionId, name, years, expiresAt: currentExpiresAt }: Renewal,
  type: Type,
) {
  return { to: "registrar", type, clientTransactionId, name, currentExpiresAt, years } as const;
}

/** Derives the progress of the renewal from the registrar's expiry date. */
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

/** Converts a failure to the fields of the domain's event. */
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
