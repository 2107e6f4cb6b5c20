import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { registrationCodec, type RegistrationEvent } from "./register-domain.events.ts";
import type { reservation } from "./register-domain.fixture.ts";
import { at, customNameservers } from "./register-domain.fixture.ts";
import type { RegistrationInput } from "./register-domain.inputs.ts";
import { registerDomain } from "./register-domain.process.ts";
import { react } from "./register-domain.reaction.ts";
import {
  registrationAnswer,
  type RegistrationAnswer,
  type RegistrationState,
} from "./register-domain.state.ts";
import { chanceFrom, RegistrationWorld, type Chance } from "./register-domain.world.fixture.ts";

/** Steps of a run, crashes included, after which it must have ended: far above what the longest list of bad luck needs. */
const stepLimit = 1_000;

/** What a run leaves behind. */
interface Played {
  readonly state: RegistrationState;
  readonly journal: readonly RegistrationEvent[];
  /** Answers a customer may have been given on the way. */
  readonly answers: readonly RegistrationAnswer[];
}

/**
 * Drives a run as the process manager does: facts are stored before every call and compensation and when the run parks
 * or completes. Chance crashes it before and after every step; then the facts not stored yet are gone, and another
 * owner takes the run over from its stream.
 */
function play(world: RegistrationWorld, chance: Chance): Played {
  const journal: RegistrationEvent[] = [];
  const answers: RegistrationAnswer[] = [];
  let unsaved: RegistrationEvent[] = [];
  let state = registerDomain.initialState;

  const apply = (input: RegistrationInput): number => {
    const added = registerDomain.decide(input, state);
    state = added.reduce(registerDomain.evolve, state);
    unsaved.push(...added);
    const answer = registrationAnswer(state);
    if (answer !== undefined) answers.push(answer);
    return added.length;
  };
  const save = (): void => {
    journal.push(...unsaved);
    unsaved = [];
  };
  /** @returns false when there is no run to take over. */
  const takeOver = (): boolean => {
    unsaved = [];
    state = journal.reduce(registerDomain.evolve, registerDomain.initialState);
    if (journal.length === 0 && !world.reserved) return false;
    apply(
      journal.length === 0
        ? { type: "reserved", reservation: reservationOf(world), at }
        : { type: "resumed", at },
    );
    return true;
  };
  const crashes = (): boolean =>
    chance("goes on", "goes on", "goes on", "goes on", "crashes", "stops") !== "goes on";

  takeOver();
  for (let step = 0; step < stepLimit; step += 1) {
    world.meanwhile();
    if (crashes() && !takeOver()) break;
    const reaction = react(state);
    if (reaction.kind !== "send") save();
    if (reaction.kind === "complete") return { state, journal, answers };
    if (crashes()) {
      if (!takeOver()) break;
      continue;
    }
    const input = reaction.kind === "park" ? staffWord(state, chance) : perform(world, reaction);
    if (crashes()) {
      if (!takeOver()) break;
      continue;
    }
    expect(apply(input), `progress of ${state.status} on ${input.type}`).toBeGreaterThan(0);
  }
  throw new Error(`the run did not end: it is ${state.status}`);
}

function reservationOf(world: RegistrationWorld): ReturnType<typeof reservation> {
  const first = world.name.events[0];
  if (first?.type !== "RegistrationReserved") throw new Error("the name was not reserved");
  return first.data;
}

function perform(world: RegistrationWorld, reaction: ReturnType<typeof react>): RegistrationInput {
  if (reaction.kind !== "call" && reaction.kind !== "send" && reaction.kind !== "compensate")
    throw new Error(reaction.kind);
  const answer =
    reaction.kind === "call"
      ? world.ask(reaction.request)
      : reaction.command.to === "account"
        ? world.askAccount(reaction.command.order)
        : world.askName(reaction.command.order);
  return world.fails() ? { type: "failed", reason: "The service is down", at } : answer;
}

/** Staff tries again, or ends a run; not one whose order the registrar may hold: that they would settle by hand first. */
function staffWord(state: RegistrationState, chance: Chance): RegistrationInput {
  const byHand =
    state.status === "parked" && (state.step.status === "settling" || state.step.status === "cancelling");
  return byHand
    ? { type: "retried", at }
    : chance<RegistrationInput>({ type: "retried", at }, { type: "abandoned", reason: "Staff", at });
}

function sumOf(postings: readonly { readonly data: { readonly grossCents: string } }[]): bigint {
  return postings.reduce((sum, { data }) => sum + BigInt(data.grossCents), 0n);
}

function expectSettled(world: RegistrationWorld, { state, journal, answers }: Played): void {
  const { account, name, registrar } = world;
  if (account.state.status !== "open") throw new Error("the account is gone");
  const charges = account.events.filter((event) => event.type === "BalanceCharged");
  const refunds = account.events.filter((event) => event.type === "RegistrationRefunded");
  const isPaid = charges.length - refunds.length === 1;
  const isRegistered = name.state.status === "registered" && name.state.domain.registrationId === "r-1";
  const holder =
    name.state.status === "reserved" || name.state.status === "held"
      ? name.state.reservation.registrationId
      : undefined;

  expect(state.status).toBe("completed");
  expect(charges.length, "charges").toBeLessThanOrEqual(1);
  expect(refunds.length, "refunds").toBeLessThanOrEqual(charges.length);
  expect({ isRegistered, isHeldAtRegistrar: registrar.holds === "r-1" }).toEqual({
    isRegistered: isPaid,
    isHeldAtRegistrar: isPaid,
  });
  expect(holder, "the name's reservation").not.toBe("r-1");
  // The postings of the run: nothing in the end, or exactly its invoice.
  const invoice = account.events.find(
    (event) => event.type === "InvoiceIssued" && event.data.cause === "r-1",
  );
  const posted = sumOf(refunds) - sumOf(charges);
  expect(posted).toBe(isPaid && invoice?.type === "InvoiceIssued" ? -BigInt(invoice.data.grossCents) : 0n);
  expect(registrationAnswer(state)?.kind === "registered").toBe(isRegistered);
  // An answer that was given is never taken back; "unsettled" promises nothing.
  for (const { kind } of answers) if (kind !== "unsettled") expect(kind === "registered").toBe(isRegistered);
  for (const { type, data } of journal) {
    expect(registrationCodec.decode(registrationCodec.storedType(type), JSON.stringify(data))).toEqual({
      type,
      data,
    });
  }
  const moved = account.events.map((event) => {
    if (event.type === "BalanceCredited") return BigInt(event.data.amountCents);
    if (event.type === "BalanceCharged") return -BigInt(event.data.grossCents);
    return event.type === "RegistrationRefunded" ? BigInt(event.data.grossCents) : 0n;
  });
  expect(account.state.balanceCents).toBe(moved.reduce((sum, cents) => sum + cents, 0n));
}

describe("a registration run in a world that goes wrong", () => {
  const luck = fc.array(fc.nat(59), { maxLength: 120, size: "max" });
  const anyNameservers = fc.constantFrom(null, customNameservers);

  test("law: whatever happens, in the end it is paid and registered, or neither", () => {
    fc.assert(
      fc.property(luck, anyNameservers, fc.boolean(), (numbers, nameservers, vatExempt) => {
        const chance = chanceFrom(numbers);
        const world = new RegistrationWorld(chance, { nameservers, vatExempt });
        expectSettled(world, play(world, chance));
      }),
      { numRuns: 3_000 },
    );
  });

  test("with good luck it is registered, with a fact for each step", () => {
    const chance = chanceFrom([]);
    const world = new RegistrationWorld(chance);
    const played = play(world, chance);
    expectSettled(world, played);
    expect(played.journal.map((fact) => fact.type)).toEqual([
      "RegistrationStarted",
      "RegistrationCharged",
      "RegistrarOrderCompleted",
      "RegistrationConfirmed",
      "RegistrationCompleted",
    ]);
  });
});
