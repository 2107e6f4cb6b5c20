import {
  askDomain,
  createDomain,
  readDates,
  readDomain,
  readGraceStatuses,
  renewDomain,
  reportRestoration,
  restoreDomain,
} from "../epp/index.ts";
import { done, refused, unknown, type Outcome } from "../outcome.ts";
import { instantOf, transferLock, type EppDomains, type HeldDomain } from "./epp-domains.ts";
import { outcomeOf, type NotCarriedOut } from "./epp-outcomes.ts";
import type { RegistrarDomain, RegistrationOrder, RenewalOrder } from "./registrar.port.ts";

/** Carries orders for names out at a registry; one at a time for each name, which is the caller's to see to. */
export class EppOrders {
  readonly #domains: EppDomains;

  constructor(domains: EppDomains) {
    this.#domains = domains;
  }

  /** Renews a name that we hold, from the expiry date that the order names. */
  async renew(
    { domain }: HeldDomain,
    { clientTransactionId, name, currentExpiresAt, years }: RenewalOrder,
  ): Promise<Outcome<RegistrarDomain>> {
    const day = dayOf(domain.expiresAt);
    if (day !== dayOf(currentExpiresAt)) return refused("rejected", `The expiry date of ${name} is ${day}.`);
    const answer = await this.#domains.ask(renewDomain(name, day, years), clientTransactionId);
    if (answer.kind !== "carried-out") return outcomeOf(answer);
    return done({ ...domain, expiresAt: instantOf(readDates(answer.response).expiresAt) });
  }

  /** Orders a name, or finds what the same order has made before. */
  async register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>> {
    const { clientTransactionId, name, years } = order;
    const registrant = await this.#domains.registrant(order.registrant);
    if (typeof registrant === "object") return beforeTheOrder(registrant);
    const delegation = await this.#domains.hosts.delegation(order.nameservers);
    if ("kind" in delegation) return beforeTheOrder(delegation);
    const creation = createDomain({
      name,
      years,
      delegation,
      registrant,
      contacts: this.#domains.inRoles(registrant),
      authInfo: this.#domains.seal.seal(name, clientTransactionId),
    });
    const answer = await this.#domains.ask(creation, clientTransactionId);
    if (answer.kind !== "carried-out" && answer.code !== 2302) return outcomeOf(answer);
    // Somebody holds the name: perhaps we do, by this very order.
    const held = await this.#domains.held(name, clientTransactionId);
    if (held === undefined || "kind" in held)
      return answer.kind === "carried-out" ? unknown(unreadable(name, held)) : outcomeOf(held ?? answer);
    // What the registry has just carried out is this order, whatever code it gave the name.
    if (answer.kind !== "carried-out" && held.orderId !== clientTransactionId)
      return refused("rejected", `The order for ${name} meets another one.`);
    return this.locked({ ...held, domain: { ...held.domain, clientTransactionId } });
  }

  /** An order ends with its lock. The name exists: that the registry refuses to lock it is no reason to say otherwise. */
  async locked({ domain }: HeldDomain): Promise<Outcome<RegistrarDomain>> {
    if (domain.transferLock) return done(domain);
    const locked = await this.#domains.change({ name: domain.name, add: { statuses: [transferLock] } });
    if (locked === undefined || "kind" in locked)
      return locked?.kind === "refused" ? done(domain) : unknown(unlocked(domain.name, locked));
    // A registry that shows no codes does not say again whose order it is: that is known by now.
    const { clientTransactionId } = domain;
    return done({ ...locked.domain, clientTransactionId });
  }
}

/** Nothing was ordered yet, however what comes before it ended. */
export function beforeTheOrder(failure: NotCarriedOut): Outcome<never> {
  return failure.kind === "refused" ? outcomeOf(failure) : refused("unreachable", failure.message);
}

function unreadable(name: string, failure: NotCarriedOut | undefined): string {
  return `${name} was registered, and what is held cannot be read: ${failure?.message ?? "nothing"}`;
}

function unlocked(name: string, failure: NotCarriedOut | undefined): string {
  return `${name} was registered, and may not be locked: ${failure?.message ?? "it is held no more"}`;
}

/** EPP speaks of days (`xs:date`, RFC 5731 §3.2.3). */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** The registry waits for a report (RFC 3915 §3.1). */
const pendingRestore = "pendingRestore";

/**
 * Has the registry give a name back that it withholds (RFC 3915 §4.2.5), and hands in the report that some want within days: a
 * name without it is withheld again.
 * @returns why it is not back; undefined where it is, and where it was not withheld (2304).
 */
export async function restoreAtRegistry(
  domains: EppDomains,
  name: string,
): Promise<NotCarriedOut | undefined> {
  const asked = await domains.ask(askDomain(name));
  if (asked.kind !== "carried-out") return asked;
  const before = readDomain(asked.response, name);
  // Where the report was lost, or the answer to the request, the registry still waits for it.
  if (!before.graceStatuses.includes(pendingRestore)) {
    const answer = await domains.ask(restoreDomain(name));
    if (answer.kind !== "carried-out") return answer.code === 2304 ? undefined : answer;
    if (!readGraceStatuses(answer.response).includes(pendingRestore)) return undefined;
  }
  const reported = await domains.ask(reportRestoration(name, before, new Date().toISOString()));
  return reported.kind === "carried-out" ? undefined : reported;
}
