import { signersText, type DelegationSigner, type Glue } from "@hostledger/core";
import { defined } from "@hostledger/runtime";

import {
  askFee,
  checkDomain,
  namespaces,
  readAvailability,
  readFee,
  updateDomain,
  type DomainChange,
  type SignerChange,
} from "../epp/index.ts";
import { done, refused, unknown, type Outcome } from "../outcome.ts";
import {
  EppDomains,
  clientHold,
  transferLock,
  type EppRegistryOptions,
  type HeldDomain,
} from "./epp-domains.ts";
import { EppMessages } from "./epp-messages.ts";
import { beforeTheOrder, deleteAtRegistry, EppOrders, restoreAtRegistry } from "./epp-orders.ts";
import { outcomeOf } from "./epp-outcomes.ts";
import { EppTransfers } from "./epp-transfers.ts";
import type {
  Availability,
  PricedOrder,
  Registrar,
  RegistrarDomain,
  RegistrarHolding,
  RegistrarSettings,
  RegistrationOrder,
  RegistryMessage,
  RenewalOrder,
  TransferOrder,
  TransferOutcome,
  TransferQuestion,
  TransferState,
  YearRange,
} from "./registrar.port.ts";

export interface EppRegistrarOptions extends EppRegistryOptions {
  /** Shown to customers. */
  readonly name: string;
}

/** A registrar over EPP (RFC 5730 to 5734), without state: a domain's authInfo contains its order (`OrderSeal`). */
export class EppRegistrar implements Registrar {
  readonly name: string;
  readonly years: YearRange;
  readonly #options: EppRegistrarOptions;
  readonly #domains: EppDomains;
  readonly #orders: EppOrders;
  readonly #transfers: EppTransfers;
  readonly #messages: EppMessages;

  constructor(options: EppRegistrarOptions) {
    this.name = options.name;
    this.years = options.registry.years;
    this.#options = options;
    this.#domains = new EppDomains(options);
    this.#orders = new EppOrders(this.#domains);
    this.#transfers = new EppTransfers(this.#domains);
    this.#messages = new EppMessages(this.#domains, options.name);
  }

  needsRegistrant(): boolean {
    return this.#options.registry.contactRoles !== undefined;
  }

  async check(name: string, order?: PricedOrder): Promise<Outcome<Availability>> {
    const greeting = order === undefined ? undefined : await this.#domains.greeting();
    if (greeting !== undefined && "kind" in greeting) return outcomeOf(greeting);
    const priced = greeting?.extensions.includes(namespaces.fee) === true ? order : undefined;
    const answer = await this.#domains.ask(checkDomain(name, priced && [askFee(priced)]));
    if (answer.kind !== "carried-out") return outcomeOf(answer);
    const fee = priced && readFee(answer.response, name, priced.kind);
    return done({ available: readAvailability(answer.response, name), ...defined({ fee }) });
  }

  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#domains.alone(order.name, () => this.#orders.register(order));
  }

  renew(order: RenewalOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#holding(order.name, (held) => this.#orders.renew(held, order));
  }

  restore(order: RenewalOrder): Promise<Outcome<RegistrarDomain>> {
    const { name } = order;
    return this.#domains.alone(name, async () => {
      const restored = await restoreAtRegistry(this.#domains, name);
      if ("kind" in restored) return outcomeOf(restored);
      // The domain is restored; a failure to read it does not undo that.
      const read = await this.#domains.held(name);
      if (read === undefined) return notHeld(name);
      const held = "kind" in read ? await this.#domains.heldAs(restored, undefined) : read;
      return "kind" in held ? unknown(held.message) : this.#orders.renew(held, order);
    });
  }

  async inquire(name: string, clientTransactionId?: string): Promise<Outcome<RegistrarHolding>> {
    const held = await this.#domains.held(name, clientTransactionId);
    if (held === undefined) return done({ held: false });
    if ("kind" in held) {
      const created = clientTransactionId && this.#orders.created(name, clientTransactionId);
      // An unanswered question leaves the outcome open, whatever the reason.
      return typeof created === "object" ? done({ held: true, domain: created }) : unknown(held.message);
    }
    if (clientTransactionId === undefined || held.orderId !== clientTransactionId)
      return done({ held: true, domain: held.domain });
    return done({
      held: true,
      domain: await this.#domains.alone(name, () => this.#orders.locked(held)),
    });
  }

  updateNameservers(
    name: string,
    nameservers: readonly string[],
    signers?: readonly DelegationSigner[],
    glue?: Glue,
  ): Promise<Outcome<RegistrarDomain>> {
    return this.#holding(name, async (held) => {
      const { domain, info } = held;
      // DS records are not sent to a registry without the extension.
      const changed = domain.signers && signers && signersChanged(domain.signers, signers, info.hasKeys);
      const added = nameservers.filter((host) => !domain.nameservers.includes(host));
      const removed = domain.nameservers.filter((host) => !nameservers.includes(host));
      if (added.length === 0 && removed.length === 0 && changed === undefined) return done(domain);
      const delegation = await this.#domains.hosts.delegation(added, glue);
      if ("kind" in delegation) return outcomeOf(delegation);
      const remove = { delegation: { form: delegation.form, nameservers: removed } };
      return this.#change(
        held,
        { add: { delegation }, remove, ...defined({ signers: changed }) },
        { nameservers, ...(changed !== undefined && defined({ signers })) },
      );
    });
  }

  updateSettings(name: string, settings: RegistrarSettings): Promise<Outcome<RegistrarDomain>> {
    return this.#holding(name, async (held) => {
      const { domain, info } = held;
      const { whoisPrivacy = domain.whoisPrivacy } = settings;
      const statuses = statusesSet(info.statuses, settings);
      if (whoisPrivacy === domain.whoisPrivacy)
        return statuses === undefined ? done(domain) : this.#change(held, statuses, settings);
      if (info.registrant === undefined)
        return refused("rejected", `The registry shows no registrant of ${name}.`);
      const registrant = await this.#domains.contacts.twin(info.registrant, !whoisPrivacy);
      return typeof registrant === "string"
        ? this.#change(held, { ...statuses, registrant }, settings)
        : outcomeOf(registrant);
    });
  }

  authCode(name: string): Promise<Outcome<{ readonly authCode: string }>> {
    return this.#holding(name, async ({ info, domain }) => {
      if (info.authInfo !== undefined) return done({ authCode: info.authInfo });
      // RFC 9154 §5.1: authInfo is set when requested.
      const authInfo = (await this.#domains.seal()).sealNone(name, domain.clientTransactionId);
      const answer = await this.#domains.ask(updateDomain({ name, authInfo }));
      return answer.kind === "carried-out" ? done({ authCode: authInfo }) : outcomeOf(answer);
    });
  }

  cancel(name: string): Promise<Outcome<void>> {
    return this.#domains.alone(name, async () => {
      this.#orders.forget(name);
      const held = await this.#domains.held(name);
      if (held === undefined) return done(undefined);
      if ("kind" in held) return outcomeOf(held);
      const objection = await deleteAtRegistry(this.#domains, held.domain);
      return objection === undefined ? done(undefined) : outcomeOf(objection);
    });
  }

  transferIn(order: TransferOrder): Promise<TransferOutcome> {
    return this.#domains.alone(order.name, async () => {
      const registrant = await this.#domains.registrant(order.registrant);
      if (typeof registrant === "object") return beforeTheOrder(registrant);
      return this.#transfers.request(order);
    });
  }

  inquireTransfer(name: string, order?: TransferQuestion): Promise<Outcome<TransferState>> {
    return this.#domains.alone(name, () => this.#transfers.state(name, order));
  }

  cancelTransfer(name: string): Promise<Outcome<void>> {
    return this.#domains.alone(name, () => this.#transfers.cancel(name));
  }

  messages(): Promise<Outcome<readonly RegistryMessage[]>> {
    return this.#messages.first();
  }

  acknowledge({ id }: Pick<RegistryMessage, "id">): Promise<Outcome<void>> {
    return this.#messages.acknowledge(id);
  }

  async #change(...change: Parameters<EppDomains["change"]>): Promise<Outcome<RegistrarDomain>> {
    const changed = await this.#domains.change(...change);
    return "kind" in changed ? outcomeOf(changed) : done(changed.domain);
  }

  /** Runs an operation on a domain that must be ours. */
  #holding<T>(name: string, work: (held: HeldDomain) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.#domains.alone(name, async () => {
      const held = await this.#domains.held(name);
      if (held === undefined) return notHeld(name);
      return "kind" in held ? outcomeOf(held) : work(held);
    });
  }
}

/** Returns the statuses to add and remove for the settings; undefined if none. */
function statusesSet(
  present: readonly string[],
  settings: RegistrarSettings,
): Pick<DomainChange, "add" | "remove"> | undefined {
  const wanted = [
    [transferLock, settings.transferLock],
    [clientHold, settings.hold],
  ] as const;
  const open = wanted.filter(([status, isSet]) => isSet !== undefined && isSet !== present.includes(status));
  if (open.length === 0) return undefined;
  const statusesThat = (isSet: boolean) => ({
    statuses: open.filter(([, shallBe]) => shallBe === isSet).map(([status]) => status),
  });
  return { add: statusesThat(true), remove: statusesThat(false) };
}

/** Returns the DS records to add and remove; undefined if none. */
function signersChanged(
  present: readonly DelegationSigner[],
  wanted: readonly DelegationSigner[],
  hasKeys: boolean,
): SignerChange | undefined {
  if (hasKeys) return { added: wanted, removed: "all" };
  const isIn = (list: readonly DelegationSigner[], signer: DelegationSigner) =>
    list.some((one) => signersText([one]) === signersText([signer]));
  const added = wanted.filter((signer) => !isIn(present, signer));
  const removed = present.filter((signer) => !isIn(wanted, signer));
  return added.length + removed.length === 0 ? undefined : { added, removed };
}

function notHeld(name: string): Outcome<never> {
  return refused("rejected", `The registrar does not hold ${name} for us.`);
}
