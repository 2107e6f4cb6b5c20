import { addYears } from "@hostledger/core";
import { createLru } from "@hostledger/runtime";

import {
  askDomain,
  createDomain,
  namespaces,
  readDates,
  readDomain,
  readGraceStatuses,
  renewDomain,
  reportRestoration,
  restoreDomain,
  updateDomain,
  type DomainInfo,
  type Response,
} from "../epp/index.ts";
import { done, refused, type Outcome } from "../outcome.ts";
import { instantOf, transferLock, type EppDomains, type HeldDomain } from "./epp-domains.ts";
import { outcomeOf, type CarriedOut, type NotCarriedOut } from "./epp-outcomes.ts";
import type { RegistrarDomain, RegistrationOrder, RenewalOrder } from "./registrar.port.ts";

/** Orders whose creation this process was told of. */
const mostRemembered = 10_000;

/** Carries orders for names out at a registry; one at a time for each name, which is the caller's to see to. */
export class EppOrders {
  readonly #domains: EppDomains;
  /** What the registry answered to the order that created a name, by the name. */
  readonly #created = createLru<string, RegistrarDomain>(mostRemembered);

  constructor(domains: EppDomains) {
    this.#domains = domains;
  }

  /** Renews a name that we hold, from the expiry date that the order names. */
  async renew(
    { domain }: HeldDomain,
    { clientTransactionId, name, currentExpiresAt, years }: RenewalOrder,
  ): Promise<Outcome<RegistrarDomain>> {
    // Where the registry does not tell the date, it compares the order's itself.
    const day = domain.isExpiryComputed === true ? dayOf(currentExpiresAt) : dayOf(domain.expiresAt);
    if (day !== dayOf(currentExpiresAt)) return refused("rejected", `The expiry date of ${name} is ${day}.`);
    const answer = await this.#domains.ask(renewDomain(name, day, years), clientTransactionId);
    if (answer.kind !== "carried-out") return outcomeOf(answer);
    const { isExpiryComputed: _, ...known } = domain;
    return done({ ...known, ...expiryOf(answer.response, currentExpiresAt, years) });
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
      authInfo: (await this.#domains.seal()).seal(name, clientTransactionId),
    });
    const answer = await this.#domains.ask(creation, clientTransactionId);
    if (answer.kind === "carried-out") return done(await this.#locked(this.#createdBy(order, answer)));
    if (answer.code !== 2302) return outcomeOf(answer);
    // Somebody holds the name: perhaps we do, by this very order.
    const held = await this.#domains.held(name, clientTransactionId);
    if (held === undefined || "kind" in held) return outcomeOf(held ?? answer);
    if (held.orderId !== clientTransactionId)
      return refused("rejected", `The order for ${name} meets another one.`);
    return done(await this.#locked({ ...held.domain, clientTransactionId }));
  }

  /**
   * What is known of the order that is asked about, where the registry gives no answer about its name: it has said that it
   * created the name.
   */
  created(name: string, clientTransactionId: string): RegistrarDomain | undefined {
    const domain = this.#created.get(name);
    return domain?.clientTransactionId === clientTransactionId ? domain : undefined;
  }

  /** A name that was given up. */
  forget(name: string): void {
    this.#created.delete(name);
  }

  /** A name that the order created, with its lock: whoever lost the answer may have lost the lock with it. */
  locked({ domain }: HeldDomain): Promise<RegistrarDomain> {
    return this.#locked(domain);
  }

  /** The answer to a creation is its result (RFC 5731 §3.2.1): nothing needs to be read. */
  #createdBy(order: RegistrationOrder, { response, greeting }: CarriedOut): RegistrarDomain {
    const { clientTransactionId, name, years, nameservers } = order;
    const registeredAt = creationOf(response, years);
    const domain = {
      name,
      clientTransactionId,
      registeredAt,
      ...expiryOf(response, registeredAt, years),
      nameservers,
      ...(greeting.extensions.includes(namespaces.secDns) && { signers: [] }),
      whoisPrivacy: true,
      transferLock: false,
      hold: false,
    };
    this.#created.set(name, domain);
    return domain;
  }

  /**
   * Locks a name that an order created. The name exists, so a refused lock does not undo the order. A lock that gets no answer
   * is ordered once more, then read; a registry that still gives no answer is taken to hold it, and the comparison corrects that.
   */
  async #locked(domain: RegistrarDomain): Promise<RegistrarDomain> {
    if (domain.transferLock) return domain;
    const lock = updateDomain({ name: domain.name, add: { statuses: [transferLock] } });
    const first = await this.#domains.ask(lock);
    if (first.kind === "carried-out" || first.kind === "refused")
      return { ...domain, transferLock: first.kind === "carried-out" };
    const second = await this.#domains.ask(lock);
    if (second.kind !== "refused") return { ...domain, transferLock: true };
    // A strict registry refuses to add a status that the name has (code 2306).
    const held = await this.#domains.held(domain.name);
    return {
      ...domain,
      transferLock: held !== undefined && "domain" in held && held.domain.transferLock,
    };
  }
}

/** When an answer says that a name was created: now, where it tells no time, or one from which the ordered years are over already. */
function creationOf(response: Response, years: number): string {
  const now = new Date().toISOString();
  const created = instantOf(readDates(response).createdAt ?? now);
  return addYears(created, years) > now ? created : instantOf(now);
}

/**
 * The expiry date that an answer tells; computed where it tells none (RFC 5731 §3.2.1, §3.2.3), or one that is not after the day from
 * which it gave years: such a name would be given up as expired.
 */
function expiryOf(
  response: Response,
  from: string,
  years: number,
): Pick<RegistrarDomain, "expiresAt" | "isExpiryComputed"> {
  const { expiresAt } = readDates(response);
  const end = expiresAt === undefined ? "" : instantOf(expiresAt);
  return end > from ? { expiresAt: end } : { expiresAt: addYears(from, years), isExpiryComputed: true };
}

/** Nothing was ordered yet, however what comes before it ended. */
export function beforeTheOrder(failure: NotCarriedOut): Outcome<never> {
  return failure.kind === "refused" ? outcomeOf(failure) : refused("unreachable", failure.message);
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
 * @returns why it is not back; where it is, and where it was not withheld (2304), what the registry told of it before.
 */
export async function restoreAtRegistry(
  domains: EppDomains,
  name: string,
): Promise<NotCarriedOut | DomainInfo> {
  const asked = await domains.ask(askDomain(name));
  if (asked.kind !== "carried-out") return asked;
  const before = readDomain(asked.response, name);
  // Where the report was lost, or the answer to the request, the registry still waits for it.
  if (!before.graceStatuses.includes(pendingRestore)) {
    const answer = await domains.ask(restoreDomain(name));
    if (answer.kind !== "carried-out") return answer.code === 2304 ? before : answer;
    if (!readGraceStatuses(answer.response).includes(pendingRestore)) return before;
  }
  const reported = await domains.ask(reportRestoration(name, before, new Date().toISOString()));
  return reported.kind === "carried-out" ? before : reported;
}
