import { assertNever, type DelegationSigner } from "@hostledger/core";
import { defined } from "@hostledger/runtime";

import { done, type Outcome, refused, unknown } from "../outcome.ts";
import type {
  Registrar,
  RegistrarDomain,
  RegistrarHolding,
  RegistrarSettings,
  RegistrationOrder,
  RenewalOrder,
  TransferOrder,
  TransferOutcome,
  TransferState,
} from "../registrar/registrar.port.ts";
import { behaviourOf } from "./labels.ts";
import { decodeLateRegistrarOrder, type LateRegistrarOrder } from "./sandbox-contents.codec.ts";
import { answerByFate, type noAnswer } from "./line.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { type CarriedOut, SandboxDomains } from "./sandbox-domains.ts";
import { SandboxTransfers } from "./sandbox-transfers.ts";

/** The simulated registrar. `labels.ts` determines its answers; its domains are in its own file. */
export class SandboxRegistrar implements Registrar {
  readonly name = "sandbox";
  readonly years = { least: 1, most: 10 };
  readonly #options: SandboxParts;
  readonly #domains: SandboxDomains;
  readonly #transfers: SandboxTransfers;

  constructor(options: SandboxParts) {
    this.#options = options;
    this.#domains = new SandboxDomains(options);
    this.#transfers = new SandboxTransfers(options.database, this.#domains);
  }

  /** Returns false, because the simulated registry requires no registrant. */
  needsRegistrant(): boolean {
    return false;
  }

  check(name: string): Promise<Outcome<{ readonly available: boolean }>> {
    const { available } = behaviourOf(name);
    return this.#call(name, () => done({ available: available && !this.#domains.isRegistered(name) }));
  }

  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#order({ kind: "registration", order }, (when) => this.#register(order, when));
  }

  renew(order: RenewalOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#order({ kind: "renewal", order }, (when) => this.#domains.renew(order, when));
  }

  restore(order: RenewalOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#order({ kind: "restoration", order }, (when) => this.#domains.restore(order, when));
  }

  inquire(name: string): Promise<Outcome<RegistrarHolding>> {
    return this.#call<Outcome<RegistrarHolding>>(name, () => {
      this.#options.lateOrders.askedAbout("registrar", name);
      const held = this.#domains.find(name);
      if (held === undefined) return done({ held: false });
      return held.inLimbo ? silentAbout(name) : done({ held: true, domain: held.domain });
    });
  }

  updateNameservers(
    name: string,
    nameservers: readonly string[],
    signers?: readonly DelegationSigner[],
  ): Promise<Outcome<RegistrarDomain>> {
    return this.#change(name, (domain) => {
      if (behaviourOf(name).refusesNameservers)
        return refused("rejected", `The registrar rejects the nameservers of ${name}.`);
      this.#domains.setNameservers(name, nameservers, signers);
      return done({ ...domain, nameservers: [...nameservers], ...defined({ signers }) });
    });
  }

  updateSettings(name: string, settings: RegistrarSettings): Promise<Outcome<RegistrarDomain>> {
    return this.#change(name, (domain) => {
      const changed = { ...domain, ...settings };
      this.#domains.setSettings(changed);
      return done(changed);
    });
  }

  authCode(name: string): Promise<Outcome<{ readonly authCode: string }>> {
    return this.#change(name, (domain) => done({ authCode: this.#domains.authCodeOf(domain) }));
  }

  cancel(name: string): Promise<Outcome<void>> {
    return this.#call(name, () => {
      if (this.#domains.find(name)?.inLimbo === true) return silentAbout(name);
      this.#domains.giveUp(name);
      return done(undefined);
    });
  }

  transferIn(order: TransferOrder): Promise<TransferOutcome> {
    return this.#order({ kind: "transfer", order }, ({ atMs }) => this.#transfers.request(order, atMs));
  }

  inquireTransfer(name: string): Promise<Outcome<TransferState>> {
    return this.#call(name, () => {
      this.#options.lateOrders.askedAbout("registrar", name);
      return done(this.#transfers.state(name));
    });
  }

  cancelTransfer(name: string): Promise<Outcome<void>> {
    return this.#call(name, () => this.#transfers.cancel(name));
  }

  list(): Promise<Outcome<readonly string[]>> {
    return this.#call("", () => done(this.#domains.settled().map(({ name }) => name)));
  }

  /** Returns every held domain by name, except orders with an unknown outcome. */
  show(): RegistrarDomain[] {
    this.carryOutDue();
    return this.#domains.settled();
  }

  /** Makes a call after carrying out due orders. */
  #call<Answer>(name: string, request: () => Answer | typeof noAnswer): Promise<Answer | Outcome<never>> {
    return this.#options.line.call(behaviourOf(name).callMs, () => {
      this.carryOutDue();
      return request();
    });
  }

  /** Makes a call that changes a held domain; nothing else changes it before the answer. */
  #change<T>(name: string, change: (domain: RegistrarDomain) => Outcome<T>): Promise<Outcome<T>> {
    return this.#call(name, () => {
      const held = this.#domains.find(name);
      if (held === undefined) return refused("rejected", `The registrar does not hold ${name} for us.`);
      return held.inLimbo ? silentAbout(name) : change(held.domain);
    });
  }

  carryOutDue(): void {
    const { clock, lateOrders } = this.#options;
    lateOrders.carryOutDue("registrar", (content, atMs) => {
      this.#carryOutLate(decodeLateRegistrarOrder(content), { atMs, settlesAtMs: 0 });
    });
    this.#transfers.settleDue(clock.epochMilliseconds());
  }

  /** Carries out a late order; a failure is ignored, because nobody waits. */
  #carryOutLate(late: LateRegistrarOrder, when: CarriedOut): void {
    switch (late.kind) {
      case "registration":
        this.#register(late.order, when);
        return;
      case "renewal":
        this.#domains.renew(late.order, when);
        return;
      case "restoration":
        this.#domains.restore(late.order, when);
        return;
      case "transfer":
        this.#transfers.request(late.order, when.atMs);
        return;
      default:
        assertNever(late);
    }
  }

  #register(order: RegistrationOrder, when: CarriedOut): Outcome<RegistrarDomain> {
    const { name } = order;
    if (behaviourOf(name).elsewhere !== null) return refused("rejected", `Another registrar holds ${name}.`);
    return this.#domains.register(order, when);
  }

  /** Applies an order's simulated outcome. */
  #order<Answer>(
    order: LateRegistrarOrder,
    carryOut: (when: CarriedOut) => Answer,
  ): Promise<Answer | Outcome<never>> {
    const { name, clientTransactionId } = order.order;
    return this.#call(name, () => {
      const { clock, lateOrders, limboMs } = this.#options;
      const atMs = clock.epochMilliseconds();
      return answerByFate(behaviourOf(name).order, {
        carryOut: (settlesAtMs) => carryOut({ atMs, settlesAtMs }),
        takeDownLate: () => {
          lateOrders.takeDown("registrar", clientTransactionId, name, JSON.stringify(order));
        },
        rejected: `The registrar rejects the order for ${name}.`,
        unreachable: "The registrar cannot be reached.",
        limboUntilMs: atMs + limboMs,
      });
    });
  }
}

function silentAbout(name: string): Outcome<never> {
  return unknown(`The registrar did not answer a question about ${name}.`);
}
