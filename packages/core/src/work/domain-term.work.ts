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

/** A domain, as the work on its paid time sees it. */
export interface DomainTerm {
  readonly domain: RegisteredDomain;
  /** The days of its extension; null of a domain that has not expired. */
  readonly lifeCycle: ExtensionLifeCycle | null;
  /** Read where `asksPayer` says so. */
  readonly payer: Payer | undefined;
}

/** What is done about a domain's paid time. */
export type DomainTermEffect =
  | {
      readonly type: "renew";
      readonly renewal: AutomaticRenewal;
      readonly availableCents: bigint | undefined;
    }
  /** Turns its automatic renewal off: nobody is behind its account any more. */
  | { readonly type: "stop-renewing" }
  | { readonly type: "expire" }
  /** Has its registrar give it up, after its days of grace. */
  | { readonly type: "withhold"; readonly lifeCycle: ExtensionLifeCycle }
  /** Removes it, after all its days. */
  | { readonly type: "delete"; readonly lifeCycle: ExtensionLifeCycle };

/** Staff may give an extension other days meanwhile, so that an expired domain is looked at so often, in milliseconds. */
const expiredLookMs = 3_600_000;

/** True where the next step depends on what the account has. */
export function asksPayer(domain: RegisteredDomain, now: string): boolean {
  const next = nextAutomaticRenewal(domain);
  return next !== undefined && (next.dueAt <= now || domain.renewals.missedCents !== null);
}

/**
 * What the paid time of a domain needs (contract, "Life cycle"): its automatic renewal, its expiry, and its end where nobody
 * renews it. Work that is under way on the domain is waited for.
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
