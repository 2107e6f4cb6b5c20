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
import type { Registry } from "./registries/registry.ts";

/** A status by which we keep a name from being transferred (RFC 5731 §2.3). */
export const transferLock = "clientTransferProhibited";

/** The status by which we keep a name from resolving (RFC 5731 §2.3). */
export const clientHold = "clientHold";

/** Statuses with which a registry refuses to renew a name (RFC 5731 §2.3). */
const renewalForbidding = ["clientRenewProhibited", "serverRenewProhibited", "pendingTransfer"];

/** A name as the registry has it, and as we say it. */
export interface HeldDomain {
  readonly info: DomainInfo;
  readonly domain: RegistrarDomain;
  /** The order that the name's code tells; undefined where it tells none. */
  readonly orderId: string | undefined;
}

/** What the parts of the adapter stand on. */
export interface EppRegistryOptions {
  readonly client: EppClient;
  /** The registrar that we are there (`clID`): names with another sponsor are other registrars'. */
  readonly clientId: string;
  /** What tells this installation from others with the same login. */
  readonly installation: () => Promise<NamedInstallation>;
  /** Of `OrderSeal`. */
  readonly secret: string;
  readonly registry: Registry;
}

/** Names at one registry: what the commands of the adapter have in common. */
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

  /** Who we are at the registry. */
  get clientId(): string {
    return this.#options.clientId;
  }

  /** What writes the ids of orders into codes of names. */
  async seal(): Promise<OrderSeal> {
    this.#seal ??= new OrderSeal(this.#options.secret, await this.#options.installation());
    return this.#seal;
  }

  /** Changes of a name wait for each other: what was read of it stays true until it is changed. */
  alone<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
    return this.#mutex.run(name, work);
  }

  /** The contact of a registrant, hidden from the directory; undefined where the registry wants to know nobody. */
  async registrant(registrant: Registrant | undefined): Promise<string | NotCarriedOut | undefined> {
    if (registrant === undefined || this.#options.registry.contactRoles === undefined) return undefined;
    return this.contacts.of(registrant, false);
  }

  /** A registrant's contact in the roles in which the registry wants it, too. */
  inRoles(registrant: string | undefined): readonly RoleContact[] {
    if (registrant === undefined) return [];
    return (this.#options.registry.contactRoles ?? []).map((role) => ({ role, id: registrant }));
  }

  /** What the registry needs for a transfer. */
  get transfers(): Registry["transfers"] {
    return this.#options.registry.transfers;
  }

  /** Sends a command. @param orderId the `clTRID`, which a repeated order repeats. */
  async ask(command: Command, orderId?: string): Promise<CarriedOut | NotCarriedOut> {
    return judged(await this.#options.client.ask(command, orderId));
  }

  /**
   * The name as we hold it; undefined when nobody does, or another registrar.
   *
   * @param orderId the order that is meant: a registry that tells no codes says whether it has that one's (RFC 9154 §4.3).
   */
  async held(name: string, orderId?: string): Promise<HeldDomain | NotCarriedOut | undefined> {
    const answer = await this.ask(askDomain(name));
    // 2303: nobody holds it; 2201: somebody else does, and the registry tells strangers nothing.
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
   * Changes a name that is held. Once the registry has said that it did, the change stands, whatever comes of reading it.
   *
   * @param after what the change makes of the name.
   * @returns the name afterwards, as the registry tells it; where it does not, as the change makes it.
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

  /** The order that created the name, as far as the registry tells. */
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

  /** A name in our words, of what the registry told of it. */
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

  /**
   * Whether the directory shows the registrant. A contact that the registry does not let us read (2201) is another registrar's, as a
   * name brings along that was transferred: nobody here can say that it is hidden.
   */
  async #isDisclosed({ registrant }: DomainInfo): Promise<boolean | NotCarriedOut> {
    if (registrant === undefined) return false;
    const isDisclosed = await this.contacts.isDisclosed(registrant);
    return typeof isDisclosed === "boolean" || isDisclosed.kind !== "refused" ? isDisclosed : true;
  }

  /** What the registry offers. */
  async greeting(): Promise<Greeting | NotCarriedOut> {
    try {
      return await this.#options.client.greeting();
    } catch (error) {
      const message = error instanceof Error ? error.message : "No session could be begun.";
      return { kind: "unreachable", code: undefined, message };
    }
  }
}

/**
 * Both dates are optional (RFC 5731 §3.1.2). An expiry date that is not told, or that is not after the creation, is taken to be the
 * next anniversary.
 */
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

/** Names are not older. */
const mostYears = 200;

/** Registries write times in several precisions and offsets. @throws RangeError for what is no time */
export function instantOf(time: string | undefined): string {
  const written = time ?? "";
  const milliseconds = new Date(written).toISOString();
  const fraction = /\.(\d{1,6})\d*(?:Z|[+-]\d{2}:\d{2})$/.exec(written)?.[1] ?? "";
  return `${milliseconds.slice(0, 19)}.${fraction.padEnd(6, "0")}Z`;
}
