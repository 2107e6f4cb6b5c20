import { addYears } from "@hostledger/core";
import { createLru } from "@hostledger/runtime";

import {
  askDomain,
  createDomain,
  deleteDomain,
  namespaces,
  readDates,
  readDomain,
  readGraceStatuses,
  renewDomain,
  reportRestoration,
  restoreDomain,
  updateDomain,
  type DomainInfo,
  type DomainParts,
  type Response,
} from "../epp/index.ts";
import { done, refused, type Outcome } from "../outcome.ts";
import { instantOf, transferLock, type EppDomains, type HeldDomain } from "./epp-domains.ts";
import { outcomeOf, type CarriedOut, type NotCarriedOut } from "./epp-outcomes.ts";
import type { RegistrarDomain, RegistrationOrder, RenewalOrder } from "./registrar.port.ts";

/** Maximum remembered orders whose completion the registry confirmed. */
const mostRemembered = 10_000;

/** Carries out orders at a registry. Callers serialise the orders for one name. */
export class EppOrders {
  readonly #domains: EppDomains;
  /** Confirmed domains by name. */
  readonly #created = createLru<string, RegistrarDomain>(mostRemembered);

  constructor(domains: EppDomains) {
    this.#domains = domains;
  }

  /** Renews our domain from the order's expiry date. */
  async renew(
    { domain }: HeldDomain,
    { clientTransactionId, name, currentExpiresAt, years }: RenewalOrder,
  ): Promise<Outcome<RegistrarDomain>> {
    // Without a known expiry the registry itself compares the order's date.
    const day = domain.isExpiryComputed === true ? dayOf(currentExpiresAt) : dayOf(domain.expiresAt);
    if (day !== dayOf(currentExpiresAt)) return refused("rejected", `The expiry date of ${name} is ${day}.`);
    const answer = await this.#domains.ask(renewDomain(name, day, years), clientTransactionId);
    if (answer.kind !== "carried-out") return outcomeOf(answer);
    const { isExpiryComputed: _, ...known } = domain;
    return done({ ...known, ...expiryOf(answer.response, currentExpiresAt, years) });
  }

  /** Registers a domain, or finds the result of the same order. */
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
    // The name is held, perhaps by this order.
    const held = await this.#domains.held(name, clientTransactionId);
    if (held === undefined || "kind" in held) return outcomeOf(held ?? answer);
    if (held.orderId !== clientTransactionId)
      return refused("rejected", `Another order for ${name} is in progress.`);
    return done(await this.#locked({ ...held.domain, clientTransactionId }));
  }

  /** Returns the domain that the registry confirmed for this order, if the domain cannot be read now. */
  created(name: string, clientTransactionId: string): RegistrarDomain | undefined {
    const domain = this.#created.get(name);
    return domain?.clientTransactionId === clientTransactionId ? domain : undefined;
  }

  forget(name: string): void {
    this.#created.delete(name);
  }

  /** Returns the order's domain with its lock, which may be missing if the answer was lost. */
  locked({ domain }: HeldDomain): Promise<RegistrarDomain> {
    return this.#locked(domain);
  }

  /** Builds the domain from the answer (RFC 5731 §3.2.1), without reading it. */
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
   * Locks a registered domain against transfers. A refused lock does not undo the order. After a missing answer the
   * client sends the lock again, then reads the domain. Without any answer the domain counts as locked; the comparison
   * of events and registrar later reports a missing lock.
   */
  async #locked(domain: RegistrarDomain): Promise<RegistrarDomain> {
    if (domain.transferLock) return domain;
    const lock = updateDomain({ name: domain.name, add: { statuses: [transferLock] } });
    const first = await this.#domains.ask(lock);
    if (first.kind === "carried-out" || first.kind === "refused")
      return { ...domain, transferLock: first.kind === "carried-out" };
    const second = await this.#domains.ask(lock);
    if (second.kind !== "refused") return { ...domain, transferLock: true };
    // A strict registry refuses to add an existing status (2306).
    const held = await this.#domains.held(domain.name);
    return {
      ...domain,
      transferLock: held !== undefined && "domain" in held && held.domain.transferLock,
    };
  }
}

/** Returns the creation time; now if missing, or if the ordered years since then would be over. */
function creationOf(response: Response, years: number): string {
  const now = new Date().toISOString();
  const created = instantOf(readDates(response).createdAt ?? now);
  return addYears(created, years) > now ? created : instantOf(now);
}

/** Returns an answer's expiry; computed if missing or not after `from` (RFC 5731 §3.2.1, §3.2.3). */
function expiryOf(
  response: Response,
  from: string,
  years: number,
): Pick<RegistrarDomain, "expiresAt" | "isExpiryComputed"> {
  const { expiresAt } = readDates(response);
  const end = expiresAt === undefined ? "" : instantOf(expiresAt);
  return end > from ? { expiresAt: end } : { expiresAt: addYears(from, years), isExpiryComputed: true };
}

/** Converts a failure before the order, when nothing was ordered yet. */
export function beforeTheOrder(failure: NotCarriedOut): Outcome<never> {
  return failure.kind === "refused" ? outcomeOf(failure) : refused("unreachable", failure.message);
}

/** Returns the day, the resolution of EPP's expiry dates (`xs:date`, RFC 5731 §3.2.3). */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** Status while the registry awaits the restore report (RFC 3915 §3.1). */
const pendingRestore = "pendingRestore";

/** Restores a deleted domain and sends its report (RFC 3915 §4.2.5). @returns the failure or the domain's data before */
export async function restoreAtRegistry(
  domains: EppDomains,
  name: string,
): Promise<NotCarriedOut | DomainInfo> {
  const asked = await domains.ask(askDomain(name));
  if (asked.kind !== "carried-out") return asked;
  const before = readDomain(asked.response, name);
  // If a report or answer was lost earlier, the registry still awaits the report.
  if (!before.graceStatuses.includes(pendingRestore)) {
    const answer = await domains.ask(restoreDomain(name));
    if (answer.kind !== "carried-out") return answer.code === 2304 ? before : answer;
    if (!readGraceStatuses(answer.response).includes(pendingRestore)) return before;
  }
  const reported = await domains.ask(reportRestoration(name, before, new Date().toISOString()));
  return reported.kind === "carried-out" ? before : reported;
}

type EndingName = Pick<RegistrarDomain, "name" | "nameservers">;

/** Deletes our domain, its hosts first (RFC 5731 §3.2.2). @returns the failure; undefined if deleted or pending */
export async function deleteAtRegistry(
  domains: EppDomains,
  ending: EndingName,
): Promise<NotCarriedOut | undefined> {
  const { name } = ending;
  const objection = await objectionToDelete(domains, name);
  if (objection?.code !== 2305) return objection;
  const below = await domains.hosts.below(name);
  if ("kind" in below) return below;
  if (below.length === 0) return objection;
  return (await removeHosts(domains, ending, below)) ?? objectionToDelete(domains, name);
}

async function objectionToDelete(domains: EppDomains, name: string): Promise<NotCarriedOut | undefined> {
  const answer = await domains.ask(deleteDomain(name));
  // 1001: pending deletion. 2303: already deleted.
  const isGone = answer.kind === "carried-out" || answer.kind === "pending" || answer.code === 2303;
  return isGone ? undefined : answer;
}

/**
 * Deletes the hosts below a domain; the domain's own nameservers last. If a host must stay because another domain uses
 * it, the domain is delegated to the remaining hosts again, because it may still be renewed.
 */
async function removeHosts(
  domains: EppDomains,
  { name, nameservers }: EndingName,
  below: readonly string[],
): Promise<NotCarriedOut | undefined> {
  const left = nameservers.filter((host) => below.includes(host));
  for (const host of below.filter((each) => !left.includes(each))) {
    const objection = await domains.hosts.remove(host);
    if (objection !== undefined) return objection;
  }
  if (left.length === 0) return undefined;
  const undelegated = await domains.ask(updateDomain({ name, remove: delegatedTo(left) }));
  if (undelegated.kind !== "carried-out") return undelegated;
  for (const [index, host] of left.entries()) {
    const objection = await domains.hosts.remove(host);
    if (objection === undefined) continue;
    await domains.ask(updateDomain({ name, add: delegatedTo(left.slice(index)) }));
    return objection;
  }
  return undefined;
}

function delegatedTo(nameservers: readonly string[]): DomainParts {
  return { delegation: { form: "objects", nameservers } };
}
