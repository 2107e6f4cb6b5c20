import { canonicalIpv6, type Glue } from "@hostledger/core";
import { createLru } from "@hostledger/runtime";

import {
  askHost,
  askHostsBelow,
  createHost,
  deleteHost,
  namespaces,
  readAddresses,
  readHostsBelow,
  updateHost,
  type Command,
  type Delegation,
  type Greeting,
} from "../epp/index.ts";
import type { CarriedOut, NotCarriedOut } from "./epp-outcomes.ts";
import type { Registry } from "./registries.ts";

/** Maximum hosts remembered as existing. */
const mostRemembered = 10_000;

export interface EppHostsOptions {
  readonly form: Registry["hosts"];
  readonly ask: (command: Command) => Promise<CarriedOut | NotCarriedOut>;
  readonly greeting: () => Promise<Greeting | NotCarriedOut>;
}

/** Nameservers at a registry: host objects (RFC 5732), or attributes of domains (RFC 5731 §1.1). */
export class EppHosts {
  readonly #options: EppHostsOptions;
  readonly #known = createLru<string, true>(mostRemembered);

  constructor(options: EppHostsOptions) {
    this.#options = options;
  }

  /** Returns nameservers in the registry's form; creates missing hosts. @param glue addresses below the domain */
  async delegation(nameservers: readonly string[], glue: Glue = {}): Promise<Delegation | NotCarriedOut> {
    const form = await this.#form();
    if (typeof form !== "string") return form;
    const made = await Promise.all(nameservers.map((host) => this.#make(host, form, glue[host])));
    return made.find((failure) => failure !== undefined) ?? { form, nameservers, glue };
  }

  async below(name: string): Promise<readonly string[] | NotCarriedOut> {
    const answer = await this.#options.ask(askHostsBelow(name));
    return answer.kind === "carried-out" ? readHostsBelow(answer.response, name) : answer;
  }

  /** Deletes a host. @returns the failure, mostly because a domain uses it (2305) */
  async remove(host: string): Promise<NotCarriedOut | undefined> {
    this.#known.delete(host);
    const removed = await this.#options.ask(deleteHost(host));
    // 2303: already deleted.
    if (removed.kind === "carried-out" || removed.code === 2303) return undefined;
    return { ...removed, message: `The host ${host} stays. ${removed.message}` };
  }

  async #form(): Promise<Delegation["form"] | NotCarriedOut> {
    const { form } = this.#options;
    if (form !== "as-offered") return form;
    const greeting = await this.#options.greeting();
    if ("kind" in greeting) return greeting;
    return greeting.objects.includes(namespaces.host) ? "objects" : "attributes";
  }

  async #make(
    host: string,
    form: Delegation["form"],
    addresses: readonly string[] | undefined,
  ): Promise<NotCarriedOut | undefined> {
    if (form === "attributes") return addresses?.length === 0 ? withoutAddress(host) : undefined;
    return addresses === undefined ? this.#makeElsewhere(host) : this.#makeWithin(host, addresses);
  }

  /** Creates a host without glue addresses. */
  async #makeElsewhere(host: string): Promise<NotCarriedOut | undefined> {
    if (this.#known.has(host)) return undefined;
    const made = await this.#options.ask(createHost(host, []));
    // 1001: pending. 2302: exists.
    if (made.kind !== "carried-out" && made.kind !== "pending" && made.code !== 2302) return made;
    this.#known.set(host, true);
    return undefined;
  }

  /** Creates or updates a host below the domain. Its addresses may change, so it is read each time. */
  async #makeWithin(host: string, addresses: readonly string[]): Promise<NotCarriedOut | undefined> {
    const answer = await this.#options.ask(askHost(host));
    const isAbsent = answer.kind !== "carried-out" && answer.code === 2303;
    if (answer.kind !== "carried-out" && !isAbsent) return answer;
    const present = answer.kind === "carried-out" ? readAddresses(answer.response, host) : [];
    if (addresses.length === 0) return present.length === 0 ? withoutAddress(host) : undefined;
    const added = without(addresses, present);
    const removed = without(present, addresses);
    if (added.length === 0 && removed.length === 0) return undefined;
    const change = isAbsent ? createHost(host, addresses) : updateHost(host, { added, removed });
    const changed = await this.#options.ask(change);
    return changed.kind === "carried-out" || changed.kind === "pending" ? undefined : changed;
  }
}

/** Returns the addresses missing in `others`, comparing canonical forms (RFC 4291 §2.2). */
function without(addresses: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others.map(canonical));
  return addresses.filter((address) => !known.has(canonical(address)));
}

function canonical(address: string): string {
  return canonicalIpv6(address) ?? address;
}

function withoutAddress(host: string): NotCarriedOut {
  const message = `${host} is below the name itself, and its zone here has no A or AAAA record for it.`;
  return { kind: "refused", code: undefined, message };
}
