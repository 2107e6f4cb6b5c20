import { Map as PersistentMap } from "immutable";

import { addYears } from "../calendar/calendar.ts";
import { lifeCycleDates } from "../pricing/extension-life-cycle.ts";
import { automaticTryId, nextAutomaticTryAt } from "../kernel/automatic-renewal.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decision } from "../kernel/decider.ts";
import type { DomainRenewalCommand, ExpireDomain, ForgoRenewal, StartRenewal } from "./domain.commands.ts";
import type { DomainRenewalEvent } from "./domain.events.ts";
import type { RegisteredDomain, RenewalHistory } from "./domain.state.ts";

export const renewalLimits = {
  /** Maximum years from now until expiry, which registries enforce. */
  yearsAhead: 10,
} as const;

export const noRenewals: RenewalHistory = {
  ended: PersistentMap(),
  automaticFailures: 0,
  lastAutomaticFailureAt: null,
  missedCents: null,
  lateAllowedAt: null,
};

export interface AutomaticRenewal {
  /** Id derived from the expiry date and the failures, so that several workers start one renewal. */
  readonly renewalId: string;
  readonly expiresAt: string;
  readonly dueAt: string;
}

/** Returns the next automatic renewal, due or not; undefined if there is none. */
export function nextAutomaticRenewal(domain: RegisteredDomain): AutomaticRenewal | undefined {
  const { domainId, expiresAt, renewals } = domain;
  const isPossible = domain.autoRenew && !domain.expired && domain.renewal === null && !isLeftAlone(domain);
  if (!isPossible) return undefined;
  const dueAt = nextAutomaticTryAt(expiresAt, renewals.lastAutomaticFailureAt);
  if (dueAt === null) return undefined;
  const tries = { failures: renewals.automaticFailures, lastFailureAt: renewals.lastAutomaticFailureAt };
  return { renewalId: automaticTryId(`renewal-${String(domainId)}`, expiresAt, tries), expiresAt, dueAt };
}

/** Returns true if automatic renewal is over a year late, by an outage or a wrong clock; then staff decide. */
export function isYearsLate({ expiresAt, renewals }: RegisteredDomain, at: string): boolean {
  const next = addYears(expiresAt, 1);
  return next <= at && (renewals.lateAllowedAt === null || next > renewals.lateAllowedAt);
}

/** Returns true if the balance now covers the amount that the last automatic renewal lacked; it need not wait. */
export function isAffordable({ renewals: { missedCents } }: RegisteredDomain, availableCents = 0n): boolean {
  return missedCents !== null && availableCents >= missedCents;
}

/** Rules of renewal and expiry: one renewal at a time, and one successful renewal for each expiry date. */
export function decideRenewal(
  command: DomainRenewalCommand,
  domain: RegisteredDomain,
): Decision<DomainRenewalEvent> {
  switch (command.type) {
    case "StartRenewal":
      return startRenewal(command, domain);
    case "ForgoRenewal":
      return forgoRenewal(command, domain);
    case "RecordRenewed": {
      const { data } = command;
      const { renewal, domainId, accountId, expiresAt: previousExpiresAt } = domain;
      if (domain.renewals.ended.get(data.renewalId) === "renewed") return accept();
      if (renewal?.renewalId !== data.renewalId) return reject("domain-not-renewable");
      const { renewalId, years, automatic } = renewal;
      const { chargeId, invoiceId, grossCents, expiresAt, at } = data;
      const paid = { chargeId, invoiceId, grossCents, previousExpiresAt, expiresAt, renewedAt: at };
      return accept({
        type: "DomainRenewed",
        data: { renewalId, domainId, accountId, years, automatic, ...paid },
      });
    }
    case "RecordRenewalFailed": {
      const { renewalId, reason, requiredCents, at } = command.data;
      const { renewal } = domain;
      if (domain.renewals.ended.get(renewalId) === "failed") return accept();
      if (renewal?.renewalId !== renewalId) return reject("domain-not-renewable");
      const { domainId, accountId, name, automatic, expiresAt } = renewal;
      const about = { renewalId, domainId, accountId, name, automatic };
      return accept({
        type: "DomainRenewalFailed",
        data: { ...about, reason, expiresAt, requiredCents, failedAt: at },
      });
    }
    case "AllowLateRenewal": {
      const { domainId, expiresAt } = domain;
      const { at } = command.data;
      if (nextAutomaticRenewal(domain) === undefined || addYears(expiresAt, 1) > at)
        return reject("domain-not-renewable", "No automatic renewal of the domain is more than a year late.");
      if (!isYearsLate(domain, at)) return accept();
      return accept({ type: "LateRenewalAllowed", data: { domainId, expiresAt, allowedAt: at } });
    }
    case "ExpireDomain":
      return expire(command, domain);
    default:
      return assertNever(command);
  }
}

function startRenewal({ data }: StartRenewal, domain: RegisteredDomain): Decision<DomainRenewalEvent> {
  const { at, availableCents: _, lifeCycle, ...order } = data;
  const { domainId, accountId, name, renewal, renewals, expiresAt } = domain;
  const { holdBeginsAt, pendingDeleteBeginsAt } = lifeCycleDates(expiresAt, lifeCycle);
  if (renewal?.renewalId === order.renewalId || renewals.ended.has(order.renewalId)) return accept();
  if (renewal !== null) return reject("renewal-in-flight");
  const impossible = order.restoration ? "not-restorable" : "domain-not-renewable";
  if (domain.transferring)
    return reject(impossible, "The domain is on its way to another registrar and cannot be renewed.");
  if (order.expiresAt !== expiresAt) {
    // The order names an old expiry date, which another renewal has extended since.
    return reject(impossible, "The domain was renewed in the meantime.");
  }
  if (order.automatic) {
    const refused = refuseUndue(data, domain);
    if (refused !== undefined) return refused;
  } else if (order.restoration) {
    if (!domain.withheld)
      return reject("not-restorable", "The domain is not withheld by its registry: renew it.");
    if (at >= pendingDeleteBeginsAt)
      return reject(
        "not-restorable",
        "The registry no longer restores the domain: it is about to be deleted.",
      );
  } else if (domain.withheld || at > holdBeginsAt) {
    return reject(
      "domain-not-renewable",
      `The domain expired more than ${String(lifeCycle.graceDays)} days ago: it can only be restored.`,
    );
  }
  const years = order.restoration ? 1 : possibleYears(expiresAt, at);
  if (!Number.isInteger(order.years) || order.years < 1 || order.years > years) return tooManyYears(years);
  const { renewalId, years: term, automatic, restoration, yearNetCents } = order;
  const about = { renewalId, domainId, accountId, name, years: term, automatic, restoration };
  return accept({
    type: "DomainRenewalStarted",
    data: { ...about, expiresAt, yearNetCents, startedAt: at },
  });
}

/** Records the failure of an automatic renewal that did not begin; the next one follows a day later. */
function forgoRenewal({ data }: ForgoRenewal, domain: RegisteredDomain): Decision<DomainRenewalEvent> {
  const { domainId, accountId, name, renewal, renewals, expiresAt } = domain;
  const { renewalId, at: failedAt } = data;
  if (renewals.ended.has(renewalId)) return accept();
  if (renewal !== null) return reject("renewal-in-flight");
  const refused = refuseUndue(data, domain);
  if (refused !== undefined) return refused;
  const about = { renewalId, domainId, accountId, name, automatic: true };
  return accept({
    type: "DomainRenewalFailed",
    data: { ...about, reason: "registrar-failed", expiresAt, requiredCents: null, failedAt },
  });
}

/** Refuses an automatic renewal that is not due. @returns undefined if it is due. */
function refuseUndue(
  { renewalId, at, availableCents }: ForgoRenewal["data"],
  domain: RegisteredDomain,
): Decision<never> | undefined {
  const next = nextAutomaticRenewal(domain);
  const isDue = next?.renewalId === renewalId && (next.dueAt <= at || isAffordable(domain, availableCents));
  if (!isDue) return reject("domain-not-renewable", "No automatic renewal of the domain is due.");
  if (isYearsLate(domain, at))
    return reject("domain-not-renewable", "The automatic renewal is more than a year late: staff decide.");
  return undefined;
}

/** Returns the number of years that can be added, at most ten. */
function possibleYears(expiresAt: string, at: string): number {
  const latest = addYears(at, renewalLimits.yearsAhead);
  let years = 0;
  while (years < renewalLimits.yearsAhead && addYears(expiresAt, years + 1) <= latest) years += 1;
  return years;
}

function tooManyYears(possible: number): Decision<never> {
  const ahead = `a domain's expiry date is at most ${String(renewalLimits.yearsAhead)} years ahead`;
  const sentence =
    possible === 0
      ? `cannot be added now: ${ahead}`
      : `must be a whole number from 1 to ${String(possible)}: ${ahead}`;
  return reject("validation-failed", `The field years ${sentence}.`, { fieldErrors: { years: [sentence] } });
}

function expire({ data: { at } }: ExpireDomain, domain: RegisteredDomain): Decision<DomainRenewalEvent> {
  const { domainId, accountId, name, expiresAt } = domain;
  if (domain.expired) return accept();
  if (domain.renewal !== null) return reject("renewal-in-flight");
  if (at < expiresAt) return reject("domain-not-renewable", "The domain has not expired.");
  const next = nextAutomaticRenewal(domain);
  if (next !== undefined && next.dueAt <= at)
    return reject(
      "domain-not-renewable",
      "An automatic renewal of the domain is due and must be tried first.",
    );
  return accept({
    type: "DomainExpired",
    data: { domainId, accountId, name, expiresAt, expiredAt: at },
  });
}

/** Returns true if automatic renewal pauses. The customer can still renew a suspended domain. */
function isLeftAlone({ suspended, transferring }: RegisteredDomain): boolean {
  return suspended || transferring;
}

/** Applies a renewal's event to a domain. @throws CorruptStreamError if the event cannot follow the state. */
export function evolveRenewal(state: RegisteredDomain, event: DomainRenewalEvent): RegisteredDomain {
  const { renewals, renewal } = state;
  switch (event.type) {
    case "DomainRenewalStarted":
      if (renewal !== null || renewals.ended.has(event.data.renewalId))
        throw new CorruptStreamError(event.type, "renewing");
      return { ...state, renewal: event.data };
    case "DomainRenewed": {
      const { renewalId, expiresAt } = event.data;
      if (renewal?.renewalId !== renewalId) throw new CorruptStreamError(event.type, "no such renewal");
      const ended = renewals.ended.set(renewalId, "renewed");
      const renewed = { expired: false, withheld: false, expiresAt };
      const { lateAllowedAt } = renewals;
      return { ...state, ...renewed, renewal: null, renewals: { ...noRenewals, lateAllowedAt, ended } };
    }
    case "DomainRenewalFailed": {
      const { renewalId, automatic, reason, requiredCents, failedAt } = event.data;
      // True if the renewal never began because the registrar would refuse it.
      const isForgone = renewal === null && automatic && reason === "registrar-failed";
      if (!isForgone && renewal?.renewalId !== renewalId)
        throw new CorruptStreamError(event.type, "no such renewal");
      const isUnpaid = reason === "insufficient-balance" && requiredCents !== null;
      const failed = automatic
        ? {
            automaticFailures: renewals.automaticFailures + 1,
            lastAutomaticFailureAt: failedAt,
            missedCents: isUnpaid ? BigInt(requiredCents) : null,
          }
        : {};
      return {
        ...state,
        renewal: null,
        renewals: { ...renewals, ...failed, ended: renewals.ended.set(renewalId, "failed") },
      };
    }
    case "LateRenewalAllowed":
      return { ...state, renewals: { ...renewals, lateAllowedAt: event.data.allowedAt } };
    case "DomainExpired":
      return { ...state, expired: true };
    default:
      return assertNever(event);
  }
}
