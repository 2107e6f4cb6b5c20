import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { chanceFrom, type Chance } from "../server-account.fixture.ts";
import { serverRenewalCodec, type ServerRenewalEvent } from "./renew-server.events.ts";
import { at, renewal } from "./renew-server.fixture.ts";
import type { ServerRenewalInput } from "./renew-server.inputs.ts";
import { renewServer } from "./renew-server.process.ts";
import { react, type ServerRenewalReaction } from "./renew-server.reaction.ts";
import {
  serverRenewalAnswer,
  type ServerRenewalAnswer,
  type ServerRenewalState,
} from "./renew-server.state.ts";
import { ServerRenewalWorld } from "./renew-server.world.fixture.ts";

/** Steps of a run, crashes included, after which it must have ended: far above what the longest list of bad luck needs. */
const stepLimit = 1_000;

/** What a run leaves behind. */
interface Played {
  readonly state: ServerRenewalState;
  readonly journal: readonly ServerRenewalEvent[];
  /** Answers a customer may have been given on the way. */
  readonly answers: readonly ServerRenewalAnswer[];
}

/**
 * Drives a run as the process manager does: facts are stored before its first command, every call and compensation, and
 * when the run parks or completes. Chance crashes it before and after every step; then the facts not stored yet are gone,
 * and another owner takes the run over from its stream. Nothing but that stream tells of it: one that crashed before it
 * had any is gone, and nothing may be left of it.
 */
function play(world: ServerRenewalWorld, chance: Chance): Played {
  const journal: ServerRenewalEvent[] = [];
  const answers: ServerRenewalAnswer[] = [];
  let unsaved: ServerRenewalEvent[] = [];
  let state = renewServer.initialState;

  const apply = (input: ServerRenewalInput): number => {
    const added = renewServer.decide(input, state);
    state = added.reduce(renewServer.evolve, state);
    unsaved.push(...added);
    const answer = serverRenewalAnswer(state);
    if (answer !== undefined) answers.push(answer);
    return added.length;
  };
  const save = (): void => {
    journal.push(...unsaved);
    unsaved = [];
  };
  const crashes = (): boolean => {
    if (chance("goes on", "goes on", "goes on", "goes on", "crashes") !== "crashes") return false;
    unsaved = [];
    state = journal.reduce(renewServer.evolve, renewServer.initialState);
    apply({ type: "resumed", at });
    return true;
  };

  apply({ type: "requested", renewal, at });
  for (let step = 0; step < stepLimit; step += 1) {
    world.meanwhile();
    if (crashes()) continue;
    const reaction = react(state);
    if (reaction.kind !== "send") save();
    if (reaction.kind === "complete") return { state, journal, answers };
    if (crashes()) continue;
    const input = reaction.kind === "park" ? staffWord(chance) : perform(world, reaction);
    if (crashes()) continue;
    expect(apply(input), `progress of ${state.status} on ${input.type}`).toBeGreaterThan(0);
  }
  throw new Error(`the run did not end: it is ${state.status}`);
}

function perform(
  world: ServerRenewalWorld,
  reaction: Exclude<ServerRenewalReaction, { kind: "park" | "complete" }>,
): ServerRenewalInput {
  const answer = reaction.kind === "call" ? world.start() : world.give(reaction.command);
  return world.fails() ? { type: "failed", reason: "The service is down", at } : answer;
}

function staffWord(chance: Chance): ServerRenewalInput {
  return chance<ServerRenewalInput>({ type: "retried", at }, { type: "abandoned", reason: "Staff", at });
}

function expectSettled(world: ServerRenewalWorld, { state, journal, answers }: Played): void {
  const { charges, refunds, paidCents } = world.account.postings;
  const renewals = world.renewals.filter(({ renewalId }) => renewalId === "n-1");
  const isRenewed = renewals.length === 1;

  expect(renewals.length).toBeLessThanOrEqual(1);
  expect(charges, "charges").toBeLessThanOrEqual(1);
  expect(refunds, "refunds").toBeLessThanOrEqual(charges);
  expect(paidCents, "paid").toBe(isRenewed ? 3_132n : 0n);
  expect(state.status).toBe(journal.length === 0 ? "new" : "completed");
  expect(serverRenewalAnswer(state)?.kind === "renewed").toBe(isRenewed);
  // An answer that was given is never taken back; "unsettled" promises nothing.
  for (const { kind } of answers) if (kind !== "unsettled") expect(kind === "renewed").toBe(isRenewed);
  if (isRenewed) {
    expect(renewals[0]).toMatchObject({ chargeId: "n-1", grossCents: "3132", months: 3 });
    const answer = serverRenewalAnswer(state);
    expect(answer).toMatchObject({ expiresAt: renewals[0]?.expiresAt, grossCents: "3132" });
  }
  for (const { type, data } of journal) {
    expect(serverRenewalCodec.decode(serverRenewalCodec.storedType(type), JSON.stringify(data))).toEqual({
      type,
      data,
    });
  }
}

describe("the run of a renewal in a world that goes wrong", () => {
  test("law: whatever happens, in the end it is paid and recorded, or neither", () => {
    const luck = fc.array(fc.nat(59), { maxLength: 120, size: "max" });
    fc.assert(
      fc.property(luck, (numbers) => {
        const chance = chanceFrom(numbers);
        const world = new ServerRenewalWorld(chance);
        expectSettled(world, play(world, chance));
      }),
      { numRuns: 3_000 },
    );
  });

  test("with good luck a suspended server is renewed and runs, with a fact for each step", () => {
    const chance = chanceFrom([]);
    const world = new ServerRenewalWorld(chance);
    expect(world.running).toBe(false);
    const played = play(world, chance);
    expectSettled(world, played);
    expect([world.running, world.server.state.status]).toEqual([true, "active"]);
    expect(played.journal.map((fact) => fact.type)).toEqual([
      "ServerRenewalStarted",
      "ServerRenewalCharged",
      "ServerRenewalRecorded",
      "ServerRenewalCompleted",
    ]);
  });
});
