import { addMilliseconds, addYears } from "../../calendar/calendar.ts";
import { nextAutomaticRenewal } from "../../domain/domain-renewal.ts";
import type { DomainCommand } from "../../domain/domain.commands.ts";
import { domain } from "../../domain/domain.decider.ts";
import type { DomainNameEvent, DomainRenewalStarted } from "../../domain/domain.events.ts";
import { facts as nameFacts } from "../../domain/domain.fixture.ts";
import type { RegisteredDomain } from "../../domain/domain.state.ts";
import { rejection } from "../../kernel/rejection.ts";
import { parseLine } from "../../kernel/values.ts";
import { quoteRenewal } from "../../pricing/domain-renewal.ts";
import { before } from "./renew-domain.fixture.ts";
import type { RenewalCommand, RenewalInput, RenewalRequest } from "./renew-domain.inputs.ts";

/**
 * The world around renewal runs, small enough to be obviously right: an account that keeps charges by their ids, the
 * name by its own decider, a registrar that misbehaves as chance says, and staff and customers who act meanwhile.
 */

/** Picks one of the choices. The first is the good one: when chance has run out, everything goes well. */
export type Chance = <Choice>(good: Choice, ...others: readonly Choice[]) => Choice;

/** Plays the numbers of a list, then only good luck. */
export function chanceFrom(numbers: readonly number[]): Chance {
  let played = 0;
  return (...choices) => {
    const number = numbers[played] ?? 0;
    played += 1;
    return choices[number % choices.length] ?? choices[0];
  };
}

interface Charge {
  readonly invoiceId: number;
  readonly grossCents: bigint;
  correctionId: number | undefined;
}

const hourMs = 3_600_000;
const yearNetCents = "1200";

/** A world in which account 7 has some money and the domain example.com, which renews itself. */
export class RenewalWorld {
  readonly charges = new Map<string, Charge>();
  readonly events: DomainNameEvent[] = [];
  balanceCents: bigint;
  /** What the registrar has. */
  registrarExpiresAt = before;
  /** Times that the registrar renewed. */
  registrarRenewals = 0;
  /** Orders that the registrar has received and will carry out when it likes. */
  readonly lateOrders: Extract<RenewalRequest, { type: "renew" }>[] = [];
  at = addMilliseconds(before, -7 * 24 * hourMs);
  #state = domain.initialState;
  #documents = 100;
  #asked = 0;
  readonly #chance: Chance;
  readonly #comesLate: boolean;

  constructor(chance: Chance, { comesLate = false } = {}) {
    this.#chance = chance;
    this.#comesLate = comesLate;
    this.balanceCents = chance(100_000n, 1_428n, 1_427n, 0n, 5_000n);
    for (const event of [
      nameFacts.RegistrationReserved,
      nameFacts.DomainRegistered,
      { type: "AutoRenewalChanged", data: { ...nameFacts.AutoRenewalChanged.data, autoRenew: true } },
    ] as const)
      this.#state = domain.evolve(this.#state, event);
  }

  get domain(): RegisteredDomain {
    if (this.#state.status !== "registered") throw new Error("the domain is gone");
    return this.#state.domain;
  }

  /** Time passes. */
  pass(hours: number): void {
    this.at = addMilliseconds(this.at, hours * hourMs);
  }

  topUp(cents: bigint): void {
    this.balanceCents += cents;
  }

  /** Somebody begins a renewal, or tries to. @returns it, when it is this one that is now under way. */
  begin(automatic: boolean): DomainRenewalStarted["data"] | undefined {
    const { expiresAt } = this.domain;
    this.#asked += 1;
    const next = nextAutomaticRenewal(this.domain);
    const renewalId = automatic ? next?.renewalId : `renewal-op-${String(this.#asked)}`;
    if (renewalId === undefined) return undefined;
    // Of orders that come late only those of the same term can be told apart by the date: the others are for staff.
    const years = automatic || this.#comesLate ? 1 : this.#chance(1, 2);
    const order = { renewalId, years, automatic, expiresAt, yearNetCents, at: this.at };
    this.execute({ type: "StartRenewal", data: order });
    const { renewal } = this.domain;
    return renewal?.renewalId === renewalId ? renewal : undefined;
  }

  /** What other people do while a run is under way. */
  meanwhile(): void {
    this.pass(this.#chance(0, 0, 0, 1, 30));
    switch (this.#chance("nothing", "nothing", "top-up", "again", "expiry", "staff")) {
      case "top-up":
        this.topUp(2_000n);
        break;
      case "again":
        // Another worker, or an impatient customer: at most one of them is let in.
        this.begin(this.#chance(true, false));
        break;
      case "expiry":
        this.execute({ type: "ExpireDomain", data: { at: this.at } });
        break;
      case "staff":
        this.execute({
          type: "SetDomainSuspension",
          data: { suspended: this.#chance(false, true), at: this.at },
        });
        break;
      default:
    }
    if (this.lateOrders.length > 0 && this.#chance(false, true)) this.arrive();
  }

  /** The registrar carries out the oldest order that came late. */
  arrive(): void {
    const order = this.lateOrders.shift();
    if (order !== undefined) this.#renew(order);
  }

  execute(command: DomainCommand): ReturnType<typeof domain.decide> {
    const decision = domain.decide(command, this.#state);
    if (decision.accepted) {
      this.events.push(...decision.events);
      this.#state = decision.events.reduce(domain.evolve, this.#state);
    }
    return decision;
  }

  /** An aggregate's answer to a command of the run. */
  tell(command: RenewalCommand): RenewalInput {
    const { at } = this;
    if (command.to === "name") {
      const decision =
        command.order.type === "RecordRenewed"
          ? this.execute({ type: command.order.type, data: { ...command.order.data, at } })
          : this.execute({ type: command.order.type, data: { ...command.order.data, at } });
      return decision.accepted
        ? { type: "accepted", at }
        : { type: "rejected", rejection: decision.rejection, at };
    }
    return command.order.type === "ChargeRenewal" ? this.#charge(command.order) : this.#refund(command.order);
  }

  /** The registrar's answer, having done something or not. */
  ask(request: RenewalRequest): RenewalInput {
    const { at } = this;
    if (request.type === "inquire") {
      const luck = this.#chance("tell", "silent", "silent", "offline");
      if (luck === "silent") return { type: "unknown", reason: "No answer", at };
      if (luck === "offline") return { type: "unreachable", reason: "No connection", at };
      return { type: "held", expiresAt: this.registrarExpiresAt, at };
    }
    switch (this.#chance("do", "refuse", "lose", "lose", "time-out", "offline")) {
      case "refuse":
        return { type: "refused", reason: this.#words(), at };
      case "offline":
        return { type: "unreachable", reason: this.#words(), at };
      case "time-out":
        if (this.#comesLate) this.lateOrders.push(request);
        return { type: "unknown", reason: "No answer", at };
      case "lose":
        this.#renew(request);
        return { type: "unknown", reason: "No answer", at };
      default:
        return this.#renew(request)
          ? { type: "held", expiresAt: this.registrarExpiresAt, at }
          : { type: "refused", reason: "The expiry date is another", at };
    }
  }

  /** True when a step's effect stands, but its answer is lost for a technical reason. */
  fails(): boolean {
    return this.#chance(false, true, false, false, false, false);
  }

  /** RFC 5731 §3.2.3: renews the expiry date that is named, and no other. */
  #renew({ currentExpiresAt, years }: Extract<RenewalRequest, { type: "renew" }>): boolean {
    if (currentExpiresAt !== this.registrarExpiresAt) return false;
    this.registrarExpiresAt = addYears(currentExpiresAt, years);
    this.registrarRenewals += 1;
    return true;
  }

  #charge(
    order: Extract<RenewalCommand, { to: "account" }>["order"] & { type: "ChargeRenewal" },
  ): RenewalInput {
    const { at } = this;
    const { chargeId, name, years } = order;
    const { grossCents } = quoteRenewal(name, years, BigInt(order.yearNetCents), false);
    let charge = this.charges.get(chargeId);
    if (charge === undefined) {
      if (grossCents > this.balanceCents) {
        const detail = { requiredCents: grossCents, availableCents: this.balanceCents };
        return { type: "rejected", rejection: rejection("insufficient-balance", undefined, detail), at };
      }
      this.balanceCents -= grossCents;
      charge = { invoiceId: (this.#documents += 1), grossCents, correctionId: undefined };
      this.charges.set(chargeId, charge);
    }
    // As the account does it: a charge that was returned answers like one that stands.
    const { invoiceId } = charge;
    return { type: "charged", charge: { chargeId, invoiceId, grossCents: String(charge.grossCents) }, at };
  }

  #refund({ chargeId, reason }: { readonly chargeId: string; readonly reason: string }): RenewalInput {
    const { at } = this;
    // The account's service takes lines of text only.
    if (!parseLine(reason, 1_000).ok) throw new Error("the refund's reason is no line of text");
    const charge = this.charges.get(chargeId);
    if (charge === undefined) return { type: "rejected", rejection: rejection("charge-not-found"), at };
    if (charge.correctionId === undefined) {
      charge.correctionId = this.#documents += 1;
      this.balanceCents += charge.grossCents;
    }
    return { type: "refunded", correctionId: charge.correctionId, at };
  }

  /** Another party's words are not ours to choose. */
  #words(): string {
    return this.#chance("Policy", "", "two\nlines", "\ud800", "x".repeat(5_000));
  }
}
