import { addMilliseconds } from "../calendar/calendar.ts";
import {
  isAffordable,
  isYearsLate,
  nextAutomaticRenewal,
  type AutomaticRenewal,
} from "../domain/domain-renewal.ts";
import type { RegisteredDomain } from "../domain/domain.state.ts";
import { lifeCycleDates, type ExtensionLifeCycle } from "../pricing/extension-life-cycle.ts";
import type { Next, Payer } from "./next.ts";

/** The state from which the work on a domain's paid time decides. */
export interface DomainTerm {
  readonly domain: RegisteredDomain;
  /** Days of the extension's life cycle; null if the domain has not expired. */
  readonly lifeCycle: ExtensionLifeCycle | null;
  /** Read only if `asksPayer` returns true. */
  readonly payer: Payer | undefined;
}

export type DomainTermEffect =
  | {
      readonly type: "renew";
      readonly renewal: AutomaticRenewal;
      readonly availableCents: bigint | undefined;
    }
  /** Turns the automatic renewal off, because the account was erased. */
  | { readonly type: "stop-renewing" }
  | { readonly type: "expire" }
  /** Makes the registrar give the name up after its days of grace. */
  | { readonly type: "withhold"; readonly lifeCycle: ExtensionLifeCycle }
  /** Removes the domain after all its days. */
  | { readonly type: "delete"; readonly lifeCycle: ExtensionLifeCycle };

/** Interval at which an expired domain is checked, in milliseconds, because staff may change the days of its extension. */
const expiredLookMs = 3_600_000;

/** True if the next step depends on the account's balance. */
export function asksPayer(domain: RegisteredDomain, now: string): boolean {
  const next = nextAutomaticRenewal(domain);
  return next !== undefined && (next.dueAt <= now || domain.renewals.missedCents !== null);
}

/**
 * Decides the next step for a domain's paid time (contract, "Life cycle"): automatic renewal, expiry, and the end if
 * nobody renews. Waits for other work in progress on the domain.
 */
export function nextOfDomainTerm(
  { domain, lifeCycle, payer }: DomainTerm,
  now: string,
): Next<DomainTermEffect> {
  if (domain.renewal !== null) return "done";
  if (lifeCycle !== null) return nextOfExpired(domain, lifeCycle, now);
  const renewal = nextAutomaticRenewal(domain);
  const isWaitedFor = renewal !== undefined && isAffordable(domain, payer?.balanceCents);
  if (renewal !== undefined && (renewal.dueAt <= now || isWaitedFor)) {
    if (payer?.isErased === true) return { do: { type: "stop-renewing" } };
    if (isYearsLate(domain, now)) return { stopped: "The automatic renewal is more than a year late" };
    const availableCents = isWaitedFor ? payer?.balanceCents : undefined;
    return { do: { type: "renew", renewal, availableCents } };
  }
  if (renewal === undefined && domain.expiresAt <= now) return { do: { type: "expire" } };
  const awaitsFunds = renewal !== undefined && domain.renewals.missedCents !== null;
  return { wait: renewal?.dueAt ?? domain.expiresAt, awaitsFunds };
}

function nextOfExpired(
  { pendingChange, transferring, withheld, expiresAt }: RegisteredDomain,
  lifeCycle: ExtensionLifeCycle,
  now: string,
): Next<DomainTermEffect> {
  if (pendingChange !== null || transferring) return "done";
  const { holdBeginsAt, deletesAt } = lifeCycleDates(expiresAt, lifeCycle);
  if (now >= deletesAt) return { do: { type: "delete", lifeCycle } };
  if (!withheld && now > holdBeginsAt) return { do: { type: "withhold", lifeCycle } };
  const nextAt = withheld ? deletesAt : addMilliseconds(holdBeginsAt, 1);
  const lookAt = addMilliseconds(now, expiredLookMs);
  return { wait: nextAt < lookAt ? nextAt : lookAt };
}
