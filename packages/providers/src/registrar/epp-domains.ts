import { addYears, type NamedInstallation } from "@hostledger/core";
import { KeyedMutex } from "@hostledger/runtime/async";

import {
  askDomain,
  namespaces,
  readDomain,
  updateDomain,
  type Command,
  type DomainChange,
  type DomainInfo,
  type EppClient,
  type Greeting,
  type RoleContact,
} from "../epp/index.ts";
import { EppContacts } from "./epp-contacts.ts";
import { EppHosts } from "./epp-hosts.ts";
import { judged, type CarriedOut, type NotCarriedOut } from "./epp-outcomes.ts";
import { OrderSeal } from "./order-seal.ts";
import type { Registrant, RegistrarDomain } from "./registrar.port.ts";
import type { Registry } from "./registries.ts";

/** Status that prevents a transfer (RFC 5731 §2.3). */
export const transferLock = "clientTransferProhibited";

/** Status that stops a domain from resolving (RFC 5731 §2.3). */
export const clientHold = "clientHold";

/** Statuses with which a registry refuses renewals (RFC 5731 §2.3). */
const renewalForbidding = ["clientRenewProhibited", "serverRenewProhibited", "pendingTransfer"];

/** A domain in the registry's and in our form. */
export interface HeldDomain {
  readonly info: DomainInfo;
  readonly domain: RegistrarDomain;
  /** Order id in the domain's authInfo; undefined if none. */
  readonly orderId: string | undefined;
}

export interface EppRegistryOptions {
  readonly client: EppClient;
  /** Our registrar id (`clID`); domains with another sponsor are foreign. */
  readonly clientId: string;
  /** Distinguishes this installation from others with the same login. */
  readonly installation: () => Promise<NamedInstallation>;
  /** Secret of `OrderSeal`. */
  readonly secret: string;
  readonly registry: Registry;
}

/** Shared operations on domains at one registry. */
export class EppDomains {
  readonly contacts: EppContacts;
  readonly hosts: EppHosts;
  readonly #options: EppRegistryOptions;
  readonly #mutex = new KeyedMutex<string>();
  #seal: OrderSeal | undefined;

  constructor(options: EppRegistryOptions) {
    this.#options = options;
    const { client, clientId, installation, registry } = options;
    this.contacts = new EppContacts({ client, form: registry.postalForm, clientId, installation });
    this.hosts = new EppHosts({
      form: registry.hosts,
      ask: (command) => this.ask(command),
      greeting: () => this.greeting(),
    });
  }

  get clientId(): string {
    return this.#options.clientId;
  }

  /** Returns the seal that encrypts order ids into authInfo. */
  async seal(): Promise<OrderSeal> {
    this.#seal ??= new OrderSeal(this.#options.secret, await this.#options.installation());
    return this.#seal;
  }

  /** Serialises changes of a domain, so that data read before a change stay valid. */
  alone<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
    return this.#mutex.run(name, work);
  }

  /** Returns the registrant's hidden contact; undefined if the registry has no contacts. */
  async registrant(registrant: Registrant | undefined): Promise<string | NotCarriedOut | undefined> {
    if (registrant === undefined || this.#options.registry.contactRoles === undefined) return undefined;
    return this.contacts.of(registrant, false);
  }

  /** Returns the registrant's contact in all roles that the registry requires. */
  inRoles(registrant: string | undefined): readonly RoleContact[] {
    if (registrant === undefined) return [];
    return (this.#options.registry.contactRoles ?? []).map((type) => ({ type, id: registrant }));
  }

  get transfers(): Registry["transfers"] {
    return this.#options.registry.transfers;
  }

  /** Sends a command. @param orderId `clTRID`, equal for every repeat of an order */
  async ask(command: Command, orderId?: string): Promise<CarriedOut | NotCarriedOut> {
    return judged(await this.#options.client.ask(command, orderId));
  }

  /** Returns our domain; undefined if not ours. @param orderId verified by registries that hide authInfo (RFC 9154 §4.3) */
  async held(name: string, orderId?: string): Promise<HeldDomain | NotCarriedOut | undefined> {
    const answer = await this.ask(askDomain(name));
    // 2303: nobody holds the domain. 2201: another registrar does, and the registry shows nothing.
    if (answer.kind !== "carried-out")
      return answer.code === 2303 || answer.code === 2201 ? undefined : answer;
    const info = readDomain(answer.response, name);
    if (info.sponsor !== this.#options.clientId || info.statuses.includes("pendingDelete")) return undefined;
    if (info.statuses.includes("pendingCreate"))
      return { kind: "pending", code: 1001, message: `The registry has not decided on ${name} yet.` };
    const order = await this.#orderOf(info, orderId);
    return typeof order === "object" ? order : this.heldAs(info, order);
  }

  /**
   * Changes a domain. After the registry's confirmation the change counts as done, even if the domain cannot be read.
   *
   * @param after the changed fields.
   * @returns the changed domain as the registry shows it; if unreadable, computed from the change.
   */
  async change(
    held: HeldDomain,
    change: Omit<DomainChange, "name">,
    after: Partial<RegistrarDomain>,
  ): Promise<HeldDomain | NotCarriedOut> {
    const { name } = held.domain;
    const answer = await this.ask(updateDomain({ ...change, name }));
    if (answer.kind !== "carried-out") return answer;
    const read = await this.held(name);
    return read !== undefined && "domain" in read ? read : { ...held, domain: { ...held.domain, ...after } };
  }

  /** Returns the order that created the domain, as far as the registry shows it. */
  async #orderOf(
    { name, authInfo }: DomainInfo,
    orderId?: string,
  ): Promise<string | NotCarriedOut | undefined> {
    if (authInfo !== undefined) return (await this.seal()).open(name, authInfo);
    if (orderId === undefined) return undefined;
    const answer = await this.ask(askDomain(name, (await this.seal()).seal(name, orderId)));
    if (answer.kind === "carried-out") return orderId;
    return answer.code === 2202 ? undefined : answer;
  }

  /** Converts a domain from the registry's form. */
  async heldAs(info: DomainInfo, orderId: string | undefined): Promise<HeldDomain | NotCarriedOut> {
    const isDisclosed = await this.#isDisclosed(info);
    if (typeof isDisclosed !== "boolean") return isDisclosed;
    const greeting = await this.greeting();
    if ("kind" in greeting) return greeting;
    const isSignable = greeting.extensions.includes(namespaces.secDns);
    const domain = {
      name: info.name,
      clientTransactionId: orderId ?? `not-told:${info.roid}`,
      ...datesOf(info),
      nameservers: info.nameservers,
      ...(isSignable && { signers: info.delegationSigners }),
      ...(info.graceStatuses.includes("autoRenewPeriod") && { isRenewedUnasked: true }),
      ...(renewalForbidding.some((status) => info.statuses.includes(status)) && { isRenewalForbidden: true }),
      whoisPrivacy: !isDisclosed,
      transferLock: info.statuses.includes(transferLock),
      hold: info.statuses.includes(clientHold),
    };
    return { info, domain, orderId };
  }

  /** Returns true if the directory shows the registrant; an unreadable contact (2201) counts as shown. */
  async #isDisclosed({ registrant }: DomainInfo): Promise<boolean | NotCarriedOut> {
    if (registrant === undefined) return false;
    const isDisclosed = await this.contacts.isDisclosed(registrant);
    return typeof isDisclosed === "boolean" || isDisclosed.kind !== "refused" ? isDisclosed : true;
  }

  async greeting(): Promise<Greeting | NotCarriedOut> {
    try {
      return await this.#options.client.greeting();
    } catch (error) {
      const message = error instanceof Error ? error.message : "No session could be begun.";
      return { kind: "unreachable", code: undefined, message };
    }
  }
}

/** Returns a domain's optional dates (RFC 5731 §3.1.2); replaces a missing expiry by the next anniversary. */
function datesOf({
  createdAt,
  expiresAt,
}: DomainInfo): Pick<RegistrarDomain, "registeredAt" | "expiresAt" | "isExpiryComputed"> {
  const now = new Date().toISOString();
  const registeredAt = instantOf(createdAt ?? now);
  const end = expiresAt === undefined ? "" : instantOf(expiresAt);
  if (end > registeredAt) return { registeredAt, expiresAt: end };
  let years = 1;
  while (addYears(registeredAt, years) <= now && years < mostYears) years += 1;
  return { registeredAt, expiresAt: addYears(registeredAt, years), isExpiryComputed: true };
}

/** Maximum plausible age of a domain in years. */
const mostYears = 200;

/** Normalises a registry's time of any precision and offset. @throws RangeError for malformed times */
export function instantOf(time: string | undefined): string {
  const written = time ?? "";
  const milliseconds = new Date(written).toISOString();
  const fraction = /\.(\d{1,6})\d*(?:Z|[+-]\d{2}:\d{2})$/.exec(written)?.[1] ?? "";
  return `${milliseconds.slice(0, 19)}.${fraction.padEnd(6, "0")}Z`;
}
