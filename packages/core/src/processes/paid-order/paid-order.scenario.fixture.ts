import type { AccountCommand } from "../../account/account.commands.ts";
import { account } from "../../account/account.decider.ts";
import type { AccountEvent } from "../../account/account.events.ts";
import type { AccountState } from "../../account/account.state.ts";
import { addMilliseconds } from "../../calendar/calendar.ts";
import type { StockCommand } from "../../catalogue/catalogue.commands.ts";
import type { StockEvent } from "../../catalogue/catalogue.events.ts";
import { stock, type StockState } from "../../catalogue/stock.decider.ts";
import type { DomainCommand } from "../../domain/domain.commands.ts";
import { domain } from "../../domain/domain.decider.ts";
import type { DomainNameEvent } from "../../domain/domain.events.ts";
import type { DomainState } from "../../domain/domain.state.ts";
import type { Decider, Decision } from "../../kernel/decider.ts";
import { parseLine } from "../../kernel/values.ts";
import type { ServerCommand } from "../../server/server.commands.ts";
import { server } from "../../server/server.decider.ts";
import type { ServerEvent } from "../../server/server.events.ts";
import type { ServerState } from "../../server/server.state.ts";
import { PendingOrder, type Chance } from "./paid-order.pending.fixture.ts";
import { quietMs } from "./paid-order.fixture.ts";
import type {
  ChargeOrder,
  OrderCommand,
  PaidOrderInput,
  ProviderRequest,
  RefundOrder,
} from "./paid-order.inputs.ts";

/**
 * Simulates everything around the run of a paid order: our aggregates with their own deciders, and a provider that fails
 * at random. The provider may carry out an unanswered order late, within the quiet period.
 */

/** Picks by the numbers of a list, then always success. */
export function chanceFrom(numbers: readonly number[]): Chance {
  let played = 0;
  return (...choices) => {
    const number = numbers[played] ?? 0;
    played += 1;
    return choices[number % choices.length] ?? choices[0];
  };
}

export class Stream<Command, State, Event> {
  readonly events: Event[] = [];
  state: State;
  readonly #decider: Decider<Command, State, Event>;

  constructor(decider: Decider<Command, State, Event>) {
    this.#decider = decider;
    this.state = decider.initialState;
  }

  execute(command: Command): Decision<Event> {
    const decision = this.#decider.decide(command, this.state);
    if (decision.accepted) {
      this.events.push(...decision.events);
      this.state = decision.events.reduce(this.#decider.evolve, this.state);
    }
    return decision;
  }
}

/** The provider's answers about the order. */
export interface ProviderWords<Held> {
  readonly held: Held;
  /** Answer if the provider does not have the order. Default: `not-held`. */
  readonly before?: Held;
}

/** Account 7 with some money, one name, one server, one stock, one provider, and a clock that advances on its own. */
export class Scenario<Subject, Held> {
  readonly account = new Stream<AccountCommand, AccountState, AccountEvent>(account);
  readonly domain = new Stream<DomainCommand, DomainState, DomainNameEvent>(domain);
  readonly server = new Stream<ServerCommand, ServerState, ServerEvent>(server);
  readonly stock = new Stream<StockCommand, StockState, StockEvent>(stock);
  at: string;
  /** True if the provider has carried out this run's order. */
  isHeld = false;
  readonly #chance: Chance;
  readonly #words: ProviderWords<Held>;
  readonly #pending: PendingOrder<Subject, Held>;
  /** Times at which unanswered orders arrive. */
  #arrivals: string[] = [];
  #isDecidedElsewhere = false;
  #nextId = 1_000;

  constructor(chance: Chance, at: string, words: ProviderWords<Held>) {
    this.#chance = chance;
    this.#words = words;
    this.#pending = new PendingOrder(chance);
    this.at = at;
    const vatExempt = chance(false, true);
    this.account.execute({ type: "OpenAccount", data: { accountId: 7, name: "Ada", vatExempt, at } });
    this.topUp(chance(10_000n, 2_380n, 2_379n, 1n));
  }

  /** True while the provider may still carry out an order. */
  get isAwaited(): boolean {
    return this.#arrivals.length > 0;
  }

  /** Lets time pass and late orders arrive. */
  pass(milliseconds: number): void {
    this.at = addMilliseconds(this.at, milliseconds);
    const due = this.#arrivals.filter((arrival) => arrival <= this.at);
    if (due.length > 0) {
      this.#arrivals = this.#arrivals.filter((arrival) => arrival > this.at);
      if (this.#isDecidedElsewhere) this.#pending.takeDown(this.at);
      else this.isHeld = true;
    }
    if (this.#pending.isHeldAt(this.at)) this.isHeld = true;
  }

  topUp(amountCents: bigint): void {
    this.#nextId += 1;
    const reference = `bank-${String(this.#nextId)}`;
    const data = { reference, amountCents, invoiceId: this.#nextId, at: this.at };
    this.account.execute({ type: "CreditBalance", data });
  }

  command(command: OrderCommand<Held>): PaidOrderInput<Subject, Held> {
    switch (command.to) {
      case "account":
        return "charge" in command ? this.#charge(command.charge) : this.#refund(command.refund);
      case "domain":
        return this.#answer(this.domain.execute(command.command), command.found?.(this.domain.state));
      case "server":
        return this.#answer(this.server.execute(command.command), command.found?.(this.server.state));
      case "stock":
        return this.#answer(this.stock.execute(command.command), undefined);
    }
  }

  /** Returns the provider's answer to a request, which may be carried out or not. */
  ask({ type }: ProviderRequest): PaidOrderInput<Subject, Held> {
    switch (type) {
      case "register":
      case "renew":
      case "provision":
        return this.#order(type === "renew");
      case "transfer-in":
        this.#isDecidedElsewhere = true;
        return this.#order(false);
      case "cancel":
      case "destroy":
        return this.#cancel();
      default: {
        const { at } = this;
        const luck = this.#chance("tell", "silent", "silent", "offline");
        if (luck === "silent") return { type: "unknown", reason: "No answer", at };
        if (luck === "offline") return { type: "unreachable", reason: "No connection", at };
        if (type === "withdraw-transfer") this.#pending.withdraw();
        return this.#holding();
      }
    }
  }

  /** True if a step took effect but its answer is lost for a technical reason. */
  fails(): boolean {
    return this.#chance(false, true, false, false, false, false);
  }

  /** Carries out an order once. A repeated registration gets the same answer; a repeated renewal is refused. */
  #order(isRefusedTwice: boolean): PaidOrderInput<Subject, Held> {
    const { at } = this;
    switch (this.#chance("do", "refuse", "lose", "time-out", "late", "late", "offline")) {
      case "refuse":
        return { type: "refused", reason: this.#reason(), at };
      case "offline":
        return { type: "unreachable", reason: this.#reason(), at };
      case "time-out":
        return { type: "unknown", reason: "No answer", at };
      case "late":
        // Within the quiet period, which begins with the first "not held" at the earliest.
        this.#arrivals.push(addMilliseconds(at, this.#chance(500, 1_500, quietMs - 1)));
        return { type: "unknown", reason: "No answer", at };
      case "lose":
        this.#carryOut();
        return { type: "unknown", reason: "No answer", at };
      default: {
        const isSecond = this.isHeld;
        this.#carryOut();
        return isSecond && isRefusedTwice
          ? { type: "refused", reason: "The expiry date is another", at }
          : this.#holding();
      }
    }
  }

  #carryOut(): void {
    if (this.#isDecidedElsewhere) this.#pending.takeDown(this.at);
    else this.isHeld = true;
  }

  #holding(): PaidOrderInput<Subject, Held> {
    const { at } = this;
    const { held, before } = this.#words;
    if (this.#isDecidedElsewhere) return this.#pending.answer(held, at);
    if (this.isHeld) return { type: "held", held, at };
    return before === undefined ? { type: "not-held", at } : { type: "held", held: before, at };
  }

  #cancel(): PaidOrderInput<Subject, Held> {
    const { at } = this;
    const luck = this.#chance("do", "refuse", "lose", "time-out");
    if (luck === "refuse") return { type: "refused", reason: "Not now", at };
    if (luck !== "time-out") {
      this.isHeld = false;
      // After a cancellation the provider carries out no order of this id.
      this.#arrivals = [];
    }
    return luck === "do" ? { type: "done", at } : { type: "unknown", reason: "No answer", at };
  }

  #answer(decision: Decision<unknown>, found: Held | undefined): PaidOrderInput<Subject, Held> {
    const { at } = this;
    return decision.accepted
      ? { type: "accepted", found, at }
      : { type: "rejected", rejection: decision.rejection, at };
  }

  /** Charges the account under the same charge id, with a new document id each time, as the service does. */
  #charge({ accountId: _, ...order }: ChargeOrder): PaidOrderInput<Subject, Held> {
    const { at } = this;
    this.#nextId += 1;
    const data = { ...order, invoiceId: this.#nextId, at };
    const decision = this.account.execute({ type: "ChargeBalance", data });
    if (!decision.accepted) return { type: "rejected", rejection: decision.rejection, at };
    const { chargeId } = order;
    const { invoiceId, grossCents } = this.#chargeOf(chargeId);
    const type = decision.events.length > 0 ? "charged" : "charged-before";
    return { type, charge: { chargeId, invoiceId, grossCents: String(grossCents) }, at };
  }

  #refund({ chargeId, of, reason }: RefundOrder): PaidOrderInput<Subject, Held> {
    const { at } = this;
    // The account's service accepts only single lines of text.
    if (!parseLine(reason, 1_000).ok) throw new Error("the refund's reason is no line of text");
    this.#nextId += 1;
    const data = { chargeId, correctionId: this.#nextId, reason, at };
    const decision = this.account.execute(
      of === "registration" ? { type: "RefundRegistration", data } : { type: "RefundCharge", data },
    );
    if (!decision.accepted) return { type: "rejected", rejection: decision.rejection, at };
    const { refundedBy } = this.#chargeOf(chargeId);
    if (refundedBy === undefined) throw new Error("the account accepted a refund that is not there");
    return { type: "refunded", correctionId: refundedBy, at };
  }

  #chargeOf(chargeId: string) {
    const { state } = this.account;
    const charge = state.status === "open" ? state.charges.get(chargeId) : undefined;
    if (charge === undefined) throw new Error("the account accepted an order without a charge");
    return charge;
  }

  /** Returns a reason that a provider may send, also an empty or damaged text. */
  #reason(): string {
    return this.#chance("Policy", "", "two\nlines", "\ud800", "x".repeat(5_000));
  }
}
