import type { AccountCommand } from "../account/account.commands.ts";
import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import type { AccountState } from "../account/account.state.ts";
import type { Decider, Decision } from "../kernel/decider.ts";
import type { Rejection } from "../kernel/rejection.ts";
import { parseLine } from "../kernel/values.ts";
import type { ServerAccountOrder, ServerCharge } from "./server-account-order.ts";

/** What the worlds around the runs of servers share: streams with their deciders, and the account of the customer. */

const at = "2026-03-01T10:00:00.000000Z";

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

/** An aggregate's stream with the state it folds to. */
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

/** What the account answers to an order of a run, in the words of every run's inputs. */
export type AccountAnswer =
  | { readonly type: "charged"; readonly charge: ServerCharge; readonly at: string }
  | { readonly type: "refunded"; readonly correctionId: number; readonly at: string }
  | { readonly type: "rejected"; readonly rejection: Rejection; readonly at: string };

/** Account 7, asked as the edge asks it: under the same charge id, with new document ids each time. */
export class CustomerAccount {
  readonly stream = new Stream<AccountCommand, AccountState, AccountEvent>(account);
  #nextId = 1_000;

  constructor(balanceCents: bigint, vatExempt: boolean) {
    this.stream.execute({ type: "OpenAccount", data: { accountId: 7, name: "Ada", vatExempt, at } });
    this.topUp(balanceCents);
  }

  topUp(amountCents: bigint): void {
    this.#nextId += 1;
    const reference = `bank-${String(this.#nextId)}`;
    const data = { reference, amountCents, invoiceId: this.#nextId, at };
    this.stream.execute({ type: "CreditBalance", data });
  }

  ask(order: ServerAccountOrder): AccountAnswer {
    const { chargeId } = order;
    const decision = this.stream.execute(this.#command(order));
    if (!decision.accepted) return { type: "rejected", rejection: decision.rejection, at };
    const { state } = this.stream;
    const charge = state.status === "open" ? state.charges.get(chargeId) : undefined;
    if (charge === undefined) throw new Error("the account accepted an order without a charge");
    if (order.type === "ChargeBalance") {
      const { invoiceId, grossCents } = charge;
      return { type: "charged", charge: { chargeId, invoiceId, grossCents: String(grossCents) }, at };
    }
    if (charge.refundedBy === undefined) throw new Error("the account accepted a refund that is not there");
    return { type: "refunded", correctionId: charge.refundedBy, at };
  }

  /** Charges, refunds, and what is gone from the balance for both. */
  get postings(): { readonly charges: number; readonly refunds: number; readonly paidCents: bigint } {
    const { events } = this.stream;
    const charges = events.filter((event) => event.type === "BalanceCharged");
    const refunds = events.filter((event) => event.type === "ChargeRefunded");
    return { charges: charges.length, refunds: refunds.length, paidCents: sumOf(charges) - sumOf(refunds) };
  }

  #command(order: ServerAccountOrder): AccountCommand {
    const { chargeId } = order;
    this.#nextId += 1;
    if (order.type === "RefundCharge") {
      // The account's service takes lines of text only.
      if (!parseLine(order.reason, 1_000).ok) throw new Error("the refund's reason is no line of text");
      const data = { chargeId, correctionId: this.#nextId, reason: order.reason, at };
      return { type: "RefundCharge", data };
    }
    const { type: _, accountId: __, ...charge } = order;
    return { type: "ChargeBalance", data: { ...charge, domainId: null, invoiceId: this.#nextId, at } };
  }
}

function sumOf(postings: readonly { readonly data: { readonly grossCents: string } }[]): bigint {
  return postings.reduce((sum, { data }) => sum + BigInt(data.grossCents), 0n);
}
