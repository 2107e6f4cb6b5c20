import { account } from "../../account/account.decider.ts";
import type { AccountCommand } from "../../account/account.commands.ts";
import type { AccountEvent } from "../../account/account.events.ts";
import type { AccountState } from "../../account/account.state.ts";
import type { DomainCommand } from "../../domain/domain.commands.ts";
import { domain } from "../../domain/domain.decider.ts";
import type { DomainNameEvent } from "../../domain/domain.events.ts";
import type { DomainState } from "../../domain/domain.state.ts";
import type { Decider, Decision } from "../../kernel/decider.ts";
import { parseLine } from "../../kernel/values.ts";
import { registrationLines } from "../../pricing/registration.ts";
import { at, order as registrarOrder, reservation } from "./register-domain.fixture.ts";
import type {
  AccountOrder,
  NameOrder,
  RegistrationInput,
  RegistrationRequest,
} from "./register-domain.inputs.ts";

/**
 * The world around a registration run, small enough to be obviously right: the account and the name by their own
 * deciders, a registrar and a DNS server that misbehave as chance says, a rival who takes the name once it is free.
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

/** An aggregate's stream with the state it folds to. */
class Stream<Command, State, Event> {
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

/** The names the registrar holds, by the transaction id of the order. One name suffices. */
interface Registrar {
  holds: string | undefined;
}

const own = reservation();
const rival = { ...own, registrationId: "rival", accountId: 8, domainId: 4 };
const answered = ["answered", "lost"] as const;

/** A world in which account 7 has some money and the run r-1 has reserved the name. */
export class RegistrationWorld {
  readonly account = new Stream<AccountCommand, AccountState, AccountEvent>(account);
  readonly name = new Stream<DomainCommand, DomainState, DomainNameEvent>(domain);
  readonly registrar: Registrar = { holds: undefined };
  readonly #chance: Chance;
  #nextId = 1_000;

  constructor(chance: Chance, { nameservers = own.nameservers, vatExempt = false } = {}) {
    this.#chance = chance;
    this.account.execute({ type: "OpenAccount", data: { accountId: 7, name: "Ada", vatExempt, at } });
    this.#topUp(chance(10_000n, 2_380n, 2_379n, 1n));
    const { reservedAt: _, ...order } = { ...own, nameservers };
    this.name.execute({ type: "ReserveRegistration", data: { ...order, at } });
  }

  /** The reservation on the name's stream, if the name is still this run's. */
  get reserved(): boolean {
    return (
      this.name.state.status === "reserved" &&
      this.name.state.reservation.registrationId === own.registrationId
    );
  }

  /** What other people do meanwhile. */
  meanwhile(): void {
    const { registrationId, reservedAt: _, ...order } = rival;
    switch (
      this.#chance(
        "nothing",
        "nothing",
        "top-up",
        "exemption",
        "rival-reserves",
        "rival-orders",
        "rival-gives-up",
      )
    ) {
      case "top-up":
        this.#topUp(5_000n);
        break;
      case "exemption":
        this.account.execute({ type: "SetVatExemption", data: { vatExempt: this.#chance(true, false), at } });
        break;
      case "rival-reserves":
        this.name.execute({ type: "ReserveRegistration", data: { registrationId, ...order, at } });
        break;
      case "rival-orders": {
        const { state } = this.name;
        if (state.status === "reserved" && state.reservation.registrationId === registrationId)
          this.#order(registrationId);
        break;
      }
      case "rival-gives-up":
        // Only what it does not hold at the registrar: the rival follows the same rules.
        if (this.registrar.holds !== registrationId) {
          this.name.execute({
            type: "ReleaseRegistration",
            data: { registrationId, reason: "charge-refused", at },
          });
        }
        break;
      default:
    }
  }

  /** The account's answer to an order of the run. */
  askAccount(order: AccountOrder): RegistrationInput {
    const { chargeId } = order;
    const decision = this.account.execute(this.#accountCommand(order));
    if (!decision.accepted) return { type: "rejected", rejection: decision.rejection, at };
    const charge =
      this.account.state.status === "open" ? this.account.state.charges.get(chargeId) : undefined;
    if (charge === undefined) throw new Error("the account accepted an order without a charge");
    if (order.type === "ChargeRegistration") {
      const { invoiceId, grossCents } = charge;
      return { type: "charged", charge: { chargeId, invoiceId, grossCents: String(grossCents) }, at };
    }
    if (charge.refundedBy === undefined) throw new Error("the account accepted a refund that is not there");
    return { type: "refunded", correctionId: charge.refundedBy, at };
  }

  /** The name's answer to an order of the run. */
  askName(order: NameOrder): RegistrationInput {
    const decision = this.name.execute(nameCommand(order));
    return decision.accepted
      ? { type: "accepted", at }
      : { type: "rejected", rejection: decision.rejection, at };
  }

  /** What another party answers, having done something or not. */
  ask(request: RegistrationRequest): RegistrationInput {
    switch (request.type) {
      case "register":
        return this.#register(request.clientTransactionId);
      case "inquire":
        return this.#inquire(request.clientTransactionId);
      case "cancel":
        return this.#cancel();
    }
  }

  #register(clientTransactionId: string): RegistrationInput {
    const luck = this.#chance("do", "refuse", "lose", "lose", "time-out", "time-out");
    if (luck === "refuse") return { type: "refused", reason: this.#words(), at };
    if (luck === "time-out") return { type: "unknown", reason: "No answer", at };
    const carriedOut = this.#order(clientTransactionId);
    if (luck === "lose") return { type: "unknown", reason: "No answer", at };
    return carriedOut
      ? { type: "held", order: registrarOrder, at }
      : { type: "refused", reason: "The name is taken", at };
  }

  /** The same order twice is one; a name of somebody else is refused. */
  #order(clientTransactionId: string): boolean {
    this.registrar.holds ??= clientTransactionId;
    return this.registrar.holds === clientTransactionId;
  }

  /** Another party's words are not ours to choose. */
  #words(): string {
    return this.#chance("Policy", "", "two\nlines", "\ud800", "x".repeat(5_000));
  }

  #inquire(clientTransactionId: string): RegistrationInput {
    const luck = this.#chance("tell", "silent", "silent", "offline");
    if (luck === "silent") return { type: "unknown", reason: "No answer", at };
    if (luck === "offline") return { type: "refused", reason: "No connection", at };
    const isHeld = this.registrar.holds === clientTransactionId;
    return isHeld ? { type: "held", order: registrarOrder, at } : { type: "not-held", at };
  }

  #cancel(): RegistrationInput {
    const luck = this.#chance("do", "refuse", "lose", "time-out");
    if (luck === "refuse") return { type: "refused", reason: "Not now", at };
    if (luck !== "time-out") this.registrar.holds = undefined;
    return luck === "do" ? { type: "done", at } : { type: "unknown", reason: "No answer", at };
  }

  /** The account is asked again under the same charge id, with new document ids: as the edge does it. */
  #accountCommand(order: AccountOrder): AccountCommand {
    const { chargeId } = order;
    this.#nextId += 1;
    if (order.type === "RefundRegistration") {
      // The account's service takes lines of text only.
      if (!parseLine(order.reason, 1_000).ok) throw new Error("the refund's reason is no line of text");
      return {
        type: "RefundRegistration",
        data: { chargeId, correctionId: this.#nextId, reason: order.reason, at },
      };
    }
    const { name, years, domainId, yearNetCents } = order;
    const lines = registrationLines(name, years, BigInt(yearNetCents));
    const data = {
      chargeId,
      action: "purchase",
      lines,
      pricesIncludeVat: false,
      duration: years,
      domainId,
      serverId: null,
      planId: null,
      invoiceId: this.#nextId,
      at,
    } as const;
    return { type: "ChargeBalance", data };
  }

  #topUp(amountCents: bigint): void {
    this.#nextId += 1;
    const reference = `bank-${String(this.#nextId)}`;
    this.account.execute({
      type: "CreditBalance",
      data: { reference, amountCents, invoiceId: this.#nextId, at },
    });
  }

  /** True when a step's effect stands, but its answer is lost for a technical reason. */
  fails(): boolean {
    return this.#chance(...answered, "answered", "answered", "answered", "answered") === "lost";
  }
}

function nameCommand(order: NameOrder): DomainCommand {
  switch (order.type) {
    case "RegisterDomain":
      return order;
    case "ReleaseRegistration":
      return { type: order.type, data: { ...order.data, at } };
    case "HoldRegistration":
      return { type: order.type, data: { ...order.data, at } };
  }
}
