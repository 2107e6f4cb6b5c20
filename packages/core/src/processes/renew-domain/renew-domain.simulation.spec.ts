import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { addYears } from "../../calendar/calendar.ts";
import type { DomainRenewalStarted } from "../../domain/domain.events.ts";
import { type RenewalEvent, renewalRunCodec } from "./renew-domain.events.ts";
import { before } from "./renew-domain.fixture.ts";
import type { RenewalInput } from "./renew-domain.inputs.ts";
import { renewDomain } from "./renew-domain.process.ts";
import { react } from "./renew-domain.reaction.ts";
import { renewalAnswer, type RenewalAnswer, type RenewalState } from "./renew-domain.state.ts";
import { chanceFrom, RenewalWorld, type Chance } from "./renew-domain.world.fixture.ts";

/** Steps of a run, crashes included, after which it must have ended: far above what the longest list of bad luck needs. */
const stepLimit = 1_000;

/** What a run leaves behind. */
interface Played {
  readonly state: RenewalState;
  readonly journal: readonly RenewalEvent[];
  readonly answers: readonly RenewalAnswer[];
}

/**
 * Drives a run as the process manager does: facts are stored before every call and compensation and when the run parks
 * or completes. Chance crashes it before and after every step; then the facts not stored yet are gone, and another
 * owner takes the run over from its stream, or begins it anew from the name's.
 */
function play(world: RenewalWorld, renewal: DomainRenewalStarted["data"], chance: Chance): Played {
  const journal: RenewalEvent[] = [];
  const answers: RenewalAnswer[] = [];
  let unsaved: RenewalEvent[] = [];
  let state = renewDomain.initialState;

  const apply = (input: RenewalInput): number => {
    const added = renewDomain.decide(input, state);
    state = added.reduce(renewDomain.evolve, state);
    unsaved.push(...added);
    const answer = renewalAnswer(state);
    if (answer !== undefined) answers.push(answer);
    return added.length;
  };
  const save = (): void => {
    journal.push(...unsaved);
    unsaved = [];
  };
  const takeOver = (): void => {
    unsaved = [];
    state = journal.reduce(renewDomain.evolve, renewDomain.initialState);
    const { at } = world;
    apply(journal.length === 0 ? { type: "started", renewal, at } : { type: "resumed", at });
  };
  const crashes = (): boolean =>
    chance("goes on", "goes on", "goes on", "goes on", "crashes", "stops") !== "goes on";

  takeOver();
  for (let step = 0; step < stepLimit; step += 1) {
    world.meanwhile();
    if (crashes()) takeOver();
    const reaction = react(state);
    if (reaction.kind !== "send") save();
    if (reaction.kind === "complete") return { state, journal, answers };
    if (crashes()) {
      takeOver();
      continue;
    }
    const input = reaction.kind === "park" ? staffWord(world, chance) : perform(world, reaction);
    if (crashes()) {
      takeOver();
      continue;
    }
    expect(apply(input), `progress of ${state.status} on ${input.type}`).toBeGreaterThan(0);
  }
  throw new Error(`the run did not end: it is ${state.status}`);
}

function perform(world: RenewalWorld, reaction: ReturnType<typeof react>): RenewalInput {
  if (reaction.kind !== "call" && reaction.kind !== "send" && reaction.kind !== "compensate")
    throw new Error(reaction.kind);
  const answer = reaction.kind === "call" ? world.ask(reaction.request) : world.tell(reaction.command);
  return world.fails() ? { type: "failed", reason: "The service is down", at: world.at } : answer;
}

/** Staff tries again, or ends a run of which it has made sure that the registrar did not carry it out. */
function staffWord(world: RenewalWorld, chance: Chance): RenewalInput {
  const { at } = world;
  if (world.registrarExpiresAt !== world.domain.expiresAt) return { type: "retried", at };
  return chance<RenewalInput>({ type: "retried", at }, { type: "abandoned", reason: "Staff", at });
}

/** Renewal after renewal, as time goes by. */
function live(world: RenewalWorld, chance: Chance, onPlayed: (played: Played) => void): void {
  for (let round = 0; round < 5; round += 1) {
    world.begin(chance(true, false));
    // While a run ends, somebody may have begun the next.
    while (world.domain.renewal !== null) onPlayed(play(world, world.domain.renewal, chance));
    world.pass(chance(25, 1, 24 * 200, 24 * 360));
  }
}

function expectSettled(world: RenewalWorld): void {
  const renewed = world.events.filter((event) => event.type === "DomainRenewed");
  const standing = [...world.charges].filter(([, charge]) => charge.correctionId === undefined);
  // Each renewal has a charge of its own that stands, and every other charge was returned.
  expect(standing.map(([chargeId]) => chargeId)).toEqual(renewed.map(({ data }) => data.chargeId));
  for (const { data } of renewed) {
    expect(String(world.charges.get(data.chargeId)?.grossCents)).toBe(data.grossCents);
    expect(data.expiresAt).toBe(addYears(data.previousExpiresAt, data.years));
  }
  expect(new Set(renewed.map(({ data }) => data.previousExpiresAt)).size).toBe(renewed.length);
  // The registrar renewed what was paid, and nothing else.
  expect({ renewals: world.registrarRenewals, until: world.registrarExpiresAt }).toEqual({
    renewals: renewed.length,
    until: world.domain.expiresAt,
  });
}

function expectTrue({ state, journal, answers }: Played, world: RenewalWorld): void {
  expect(state.status).toBe("completed");
  const wasRenewed = renewalAnswer(state)?.kind === "renewed";
  const run = journal[0];
  if (run?.type !== "RenewalRunStarted") throw new Error("the run has no beginning");
  expect(world.domain.renewals.ended.get(run.data.renewalId)).toBe(wasRenewed ? "renewed" : "failed");
  // An answer that was given is never taken back; "unsettled" promises nothing.
  for (const { kind } of answers) if (kind !== "unsettled") expect(kind === "renewed").toBe(wasRenewed);
  for (const { type, data } of journal) {
    expect(renewalRunCodec.decode(renewalRunCodec.storedType(type), JSON.stringify(data))).toEqual({
      type,
      data,
    });
  }
}

describe("renewal runs in a world that goes wrong", () => {
  const luck = fc.array(fc.nat(59), { maxLength: 150, size: "max" });

  test("law: whatever happens, each is paid and renewed, or neither", () => {
    fc.assert(
      fc.property(luck, (numbers) => {
        const chance = chanceFrom(numbers);
        const world = new RenewalWorld(chance);
        live(world, chance, (played) => {
          expectTrue(played, world);
          if (world.domain.renewal === null) expectSettled(world);
        });
      }),
      { numRuns: 3_000 },
    );
  });

  test("law: an order that comes late, after the refund, is paid for by the next renewal", () => {
    fc.assert(
      fc.property(luck, (numbers) => {
        const chance = chanceFrom(numbers);
        const world = new RenewalWorld(chance, { comesLate: true });
        const good = chanceFrom([]);
        live(world, chance, (played) => {
          expectTrue(played, world);
        });
        while (world.lateOrders.length > 0) world.arrive();
        if (world.registrarExpiresAt === world.domain.expiresAt) return;
        // The registrar is ahead: it refuses the next order, tells why, and the books agree again.
        world.execute({ type: "SetDomainSuspension", data: { suspended: false, at: world.at } });
        world.topUp(10_000n);
        const renewal = world.begin(false);
        if (renewal === undefined) return;
        play(world, renewal, good);
        expect(world.domain.expiresAt).toBe(world.registrarExpiresAt);
      }),
      { numRuns: 1_000 },
    );
  });

  test("with good luck it is renewed, with a fact for each step", () => {
    const chance = chanceFrom([]);
    const world = new RenewalWorld(chance);
    const renewal = world.begin(true);
    if (renewal === undefined) throw new Error("nothing is due");
    const { journal } = play(world, renewal, chance);
    expectSettled(world);
    expect(world.domain.expiresAt).toBe(addYears(before, 1));
    expect(journal.map(({ type }) => type)).toEqual([
      "RenewalRunStarted",
      "RenewalCharged",
      "RenewalOrderCompleted",
      "RenewalCompleted",
    ]);
  });
});
