import { expect } from "vitest";

import { epochMilliseconds } from "../../calendar/calendar.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import type { EventCodec } from "../../kernel/event-codec.ts";
import type { PaidOrderAction, PaidOrderInput } from "./paid-order.inputs.ts";
import type { Chance } from "./paid-order.pending.fixture.ts";
import type { Scenario } from "./paid-order.scenario.fixture.ts";
import type { PaidOrderAnswer, PaidOrderState } from "./paid-order.state.ts";
import type { PaidOrder } from "./paid-order.ts";

/** Limit of steps, crashes included, far above the need of the unluckiest run. */
const stepLimit = 1_000;

export interface Played<Subject, Held, Event> {
  readonly state: PaidOrderState<Subject, Held>;
  readonly journal: readonly Event[];
  /** Answers that a caller may have received during the run. */
  readonly answers: readonly PaidOrderAnswer<Held>[];
}

export interface Play<Subject, Held, Event extends DomainEvent> {
  readonly process: PaidOrder<Subject, Held, Event>;
  readonly scenario: Scenario<Subject, Held>;
  readonly chance: Chance;
  /** Events that an earlier owner has stored. */
  readonly history?: readonly Event[];
  /**
   * Returns the event that begins the run, for an owner that finds no event of the run; undefined if there is none any
   * more.
   */
  beginning(): Subject | undefined;
  /** True if the provider can cancel an order. */
  readonly isCancellable: boolean;
  /** Actions of other people during the run. */
  meanwhile?(): void;
}

/**
 * Drives a run like the process manager. Events are stored before each call except the first, before each compensation,
 * and at the end or suspension. The run may crash before and after every step. A crash loses the events that are not
 * stored, and another owner continues from the stream.
 * @returns undefined if the run crashed before its first event.
 */
export function play<Subject, Held, Event extends DomainEvent>(
  options: Play<Subject, Held, Event>,
): Played<Subject, Held, Event> | undefined {
  const { scenario, chance } = options;
  const run = new PlayedRun(options);
  const crashes = (): boolean =>
    chance("goes on", "goes on", "goes on", "goes on", "crashes", "stops") !== "goes on";

  if (!run.takeOver()) return undefined;
  for (let step = 0; step < stepLimit; step += 1) {
    scenario.pass(100);
    options.meanwhile?.();
    if (crashes() && !run.takeOver()) return undefined;
    const action = options.process.nextAction(run.state, scenario.at);
    if (action.kind !== "send" && !(action.kind === "call" && action.isFirst && run.isUnrecorded)) run.save();
    if (action.kind === "complete") return run;
    if (crashes()) {
      if (!run.takeOver()) return undefined;
      continue;
    }
    const input = perform(options, run.state, action);
    if (crashes()) {
      if (!run.takeOver()) return undefined;
      continue;
    }
    const before = run.state.status;
    if (run.apply(input) === 0) throw new Error(`no progress of ${before} on ${input.type}`);
  }
  throw new Error(`the run did not end: it is ${run.state.status}`);
}

class PlayedRun<Subject, Held, Event extends DomainEvent> implements Played<Subject, Held, Event> {
  state: PaidOrderState<Subject, Held>;
  readonly journal: Event[] = [];
  readonly answers: PaidOrderAnswer<Held>[] = [];
  readonly #options: Play<Subject, Held, Event>;
  #unsaved: Event[] = [];
  #hadOwner = false;

  constructor(options: Play<Subject, Held, Event>) {
    this.#options = options;
    this.state = options.process.initialState;
    this.journal.push(...(options.history ?? []));
  }

  get isUnrecorded(): boolean {
    return this.journal.length === 0;
  }

  /** @returns number of added events. */
  apply(input: PaidOrderInput<Subject, Held>): number {
    const { process } = this.#options;
    const added = process.decide(input, this.state);
    this.state = added.reduce(process.evolve, this.state);
    this.#unsaved.push(...added);
    return added.length;
  }

  /** Stores the events, because callers get answers only from stored events. */
  save(): void {
    this.journal.push(...this.#unsaved);
    this.#unsaved = [];
    const answer = this.#options.process.answer(this.state);
    if (answer !== undefined) this.answers.push(answer);
  }

  /** @returns false if there is no run to take over. */
  takeOver(): boolean {
    const { process, scenario } = this.#options;
    const { at } = scenario;
    this.#unsaved = [];
    this.state = this.journal.reduce(process.evolve, process.initialState);
    if (this.journal.length > 0) {
      this.apply({ type: "resumed", at });
      return true;
    }
    const subject = this.#options.beginning();
    if (subject !== undefined) this.apply({ type: "begun", subject, again: this.#hadOwner, at });
    this.#hadOwner = true;
    return subject !== undefined;
  }
}

function perform<Subject, Held, Event extends DomainEvent>(
  options: Play<Subject, Held, Event>,
  state: PaidOrderState<Subject, Held>,
  action: Exclude<PaidOrderAction<Held>, { kind: "complete" }>,
): PaidOrderInput<Subject, Held> {
  const { scenario } = options;
  if (action.kind === "suspend") return staffWord(options, state);
  if (action.kind === "call") {
    const { notBefore = scenario.at, longestPauseMs } = action;
    const waitMs = epochMilliseconds(notBefore) - epochMilliseconds(scenario.at);
    scenario.pass(Math.min(Math.max(waitMs, 0), longestPauseMs));
  }
  const answer = action.kind === "call" ? scenario.ask(action.request) : scenario.command(action.command);
  return scenario.fails() ? { type: "failed", reason: "The service is down", at: scenario.at } : answer;
}

/**
 * Simulates staff who retry or end a run. They do not end a run if the provider may have its order, because they
 * would first clear it with the provider.
 */
function staffWord<Subject, Held, Event extends DomainEvent>(
  { scenario, chance, isCancellable }: Play<Subject, Held, Event>,
  state: PaidOrderState<Subject, Held>,
): PaidOrderInput<Subject, Held> {
  const { at } = scenario;
  const step = state.status === "suspended" ? state.step.status : state.status;
  const isOpen = scenario.isHeld || scenario.isAwaited;
  const byHand = step === "settling" || step === "cancelling" || (!isCancellable && isOpen);
  const word = byHand ? "retried" : chance<"retried" | "abandoned">("retried", "abandoned");
  return word === "retried" ? { type: word, at } : { type: word, reason: "Staff", at };
}

/** The state of the order outside its run. */
export interface Outside {
  /** True if our aggregate records that the account has the ordered resource. */
  readonly isConfirmed: boolean;
  /** True if something is still reserved for the run. */
  readonly isReserved: boolean;
  /** True if the order is a gift, so nothing is paid. */
  readonly isGift?: boolean;
}

/**
 * Checks the rule of every paid order: charged and delivered, or refunded and not delivered. No answer may contradict the
 * result.
 */
export function expectSettled<Subject, Held, Event extends DomainEvent>(
  { process, scenario }: Play<Subject, Held, Event>,
  { state, journal, answers }: Played<Subject, Held, Event>,
  outside: Outside & { readonly codec: EventCodec<Event>; readonly hasProvider: boolean },
): void {
  const { account } = scenario;
  const charges = account.events.filter((event) => event.type === "BalanceCharged");
  const refunds = account.events.filter(
    (event) => event.type === "RegistrationRefunded" || event.type === "ChargeRefunded",
  );
  const { isConfirmed, isGift = false } = outside;
  expect(state.status).toBe("ended");
  expect(charges.length, "charges").toBeLessThanOrEqual(isGift ? 0 : 1);
  expect(refunds.length, "refunds").toBeLessThanOrEqual(charges.length);
  if (!isGift) expect(charges.length - refunds.length === 1, "paid").toBe(isConfirmed);
  if (outside.hasProvider) expect(scenario.isHeld, "held by the provider").toBe(isConfirmed);
  expect(outside.isReserved, "reserved").toBe(false);
  expect(process.answer(state)?.kind === "done").toBe(isConfirmed);
  // An answer is never withdrawn; "pending" and "unsettled" promise nothing.
  for (const { kind } of answers)
    if (kind !== "unsettled" && kind !== "pending") expect(kind === "done").toBe(isConfirmed);
  for (const event of journal) {
    const stored = outside.codec.decode(outside.codec.storedType(event.type), JSON.stringify(event.data));
    expect(stored).toEqual(event);
  }
  const moved = account.events.map((event) => {
    if (event.type === "BalanceCredited") return BigInt(event.data.amountCents);
    if (event.type === "BalanceCharged") return -BigInt(event.data.grossCents);
    const isRefund = event.type === "RegistrationRefunded" || event.type === "ChargeRefunded";
    return isRefund ? BigInt(event.data.grossCents) : 0n;
  });
  const balanceCents = account.state.status === "open" ? account.state.balanceCents : 0n;
  expect(balanceCents).toBe(moved.reduce((sum, cents) => sum + cents, 0n));
}
