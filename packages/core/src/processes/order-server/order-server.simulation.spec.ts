import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { chanceFrom, type Chance } from "../server-account.fixture.ts";
import { serverOrderCodec, type ServerOrderEvent } from "./order-server.events.ts";
import { at, order } from "./order-server.fixture.ts";
import type { ServerOrderInput } from "./order-server.inputs.ts";
import { orderServer } from "./order-server.process.ts";
import { react, type ServerOrderReaction } from "./order-server.reaction.ts";
import { serverOrderAnswer, type ServerOrderAnswer, type ServerOrderState } from "./order-server.state.ts";
import { ServerOrderWorld } from "./order-server.world.fixture.ts";

/** Steps of a run, crashes included, after which it must have ended: far above what the longest list of bad luck needs. */
const stepLimit = 1_000;

/** What a run leaves behind. */
interface Played {
  readonly state: ServerOrderState;
  readonly journal: readonly ServerOrderEvent[];
  /** Answers a customer may have been given on the way. */
  readonly answers: readonly ServerOrderAnswer[];
}

/**
 * Drives a run as the process manager does: facts are stored before its first command, every call and compensation, and
 * when the run parks or completes. Chance crashes it before and after every step; then the facts not stored yet are gone,
 * and another owner takes the run over from its stream. Nothing but that stream tells of the run: one that crashed before
 * it had any is ordered again by a client that repeats its request, or is gone, and nothing may be left of it.
 */
function play(world: ServerOrderWorld, grossCents: string | null, chance: Chance): Played {
  const journal: ServerOrderEvent[] = [];
  const answers: ServerOrderAnswer[] = [];
  let unsaved: ServerOrderEvent[] = [];
  let state = orderServer.initialState;

  const apply = (input: ServerOrderInput): number => {
    const added = orderServer.decide(input, state);
    state = added.reduce(orderServer.evolve, state);
    unsaved.push(...added);
    const answer = serverOrderAnswer(state);
    if (answer !== undefined) answers.push(answer);
    return added.length;
  };
  const save = (): void => {
    journal.push(...unsaved);
    unsaved = [];
  };
  const first: ServerOrderInput = { type: "ordered", order: { ...order, grossCents }, at };
  const takeOver = (): void => {
    unsaved = [];
    state = journal.reduce(orderServer.evolve, orderServer.initialState);
    apply(journal.length === 0 && chance(true, false) ? first : { type: "resumed", at });
  };
  const crashes = (): boolean => {
    const hasCrashed = chance("goes on", "goes on", "goes on", "goes on", "crashes") === "crashes";
    if (hasCrashed) takeOver();
    return hasCrashed;
  };

  apply(first);
  for (let step = 0; step < stepLimit; step += 1) {
    world.meanwhile();
    if (crashes()) continue;
    const reaction = react(state);
    if (reaction.kind !== "send") save();
    if (reaction.kind === "complete") return { state, journal, answers };
    if (crashes()) continue;
    const input = reaction.kind === "park" ? staffWord(state, chance) : perform(world, reaction);
    if (crashes()) continue;
    expect(apply(input), `progress of ${state.status} on ${input.type}`).toBeGreaterThan(0);
  }
  throw new Error(`the run did not end: it is ${state.status}`);
}

function perform(
  world: ServerOrderWorld,
  reaction: Exclude<ServerOrderReaction, { kind: "park" | "complete" }>,
): ServerOrderInput {
  const answer = reaction.kind === "call" ? world.ask(reaction.request) : world.give(reaction.command);
  return world.fails() ? { type: "failed", reason: "The service is down", at } : answer;
}

/** Staff tries again, or ends a run; not one whose server may exist: that they would settle by hand first. */
function staffWord(state: ServerOrderState, chance: Chance): ServerOrderInput {
  const byHand =
    state.status === "parked" && (state.step.status === "settling" || state.step.status === "destroying");
  return byHand
    ? { type: "retried", at }
    : chance<ServerOrderInput>({ type: "retried", at }, { type: "abandoned", reason: "Staff", at });
}

function expectSettled(world: ServerOrderWorld, { state, journal, answers }: Played, isGift: boolean): void {
  const { charges, refunds, paidCents } = world.account.postings;
  const isProvisioned = world.server.state.status === "active";

  expect(state.status).toBe(journal.length === 0 ? "new" : "completed");
  expect(charges, "charges").toBeLessThanOrEqual(isGift ? 0 : 1);
  expect(refunds, "refunds").toBeLessThanOrEqual(charges);
  expect(world.exists, "a server on a node").toBe(isProvisioned);
  expect(paidCents, "paid").toBe(isProvisioned && !isGift ? 2_997n : 0n);
  expect(world.stock.state.orders.get("o-1") === "reserved", "its unit").toBe(isProvisioned && !isGift);
  expect(world.stock.state.units).toBeGreaterThanOrEqual(0);
  expect(serverOrderAnswer(state)?.kind === "provisioned").toBe(isProvisioned);
  // An answer that was given is never taken back; "unsettled" promises nothing.
  for (const { kind } of answers)
    if (kind !== "unsettled") expect(kind === "provisioned").toBe(isProvisioned);
  if (isProvisioned) {
    const fact = world.server.events.find((event) => event.type === "ServerProvisioned");
    expect(fact?.data).toMatchObject(isGift ? { chargeId: null } : { chargeId: "o-1" });
  }
  for (const { type, data } of journal) {
    expect(serverOrderCodec.decode(serverOrderCodec.storedType(type), JSON.stringify(data))).toEqual({
      type,
      data,
    });
  }
}

describe("the run of an order in a world that goes wrong", () => {
  const luck = fc.array(fc.nat(59), { maxLength: 120, size: "max" });

  test("law: whatever happens, in the end there is a server, paid, with its unit, or nothing of all three", () => {
    fc.assert(
      fc.property(luck, fc.boolean(), (numbers, vatExempt) => {
        const chance = chanceFrom(numbers);
        const world = new ServerOrderWorld(chance, vatExempt);
        expectSettled(world, play(world, order.grossCents, chance), false);
      }),
      { numRuns: 3_000 },
    );
  });

  test("law: a gift is there or not, and never costs anything or takes a unit", () => {
    fc.assert(
      fc.property(luck, (numbers) => {
        const chance = chanceFrom(numbers);
        const world = new ServerOrderWorld(chance, false);
        expectSettled(world, play(world, null, chance), true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("with good luck it is provisioned, with a fact for each step", () => {
    const chance = chanceFrom([]);
    const world = new ServerOrderWorld(chance, false);
    const played = play(world, order.grossCents, chance);
    expectSettled(world, played, false);
    expect(played.journal.map((fact) => fact.type)).toEqual([
      "ServerOrderStarted",
      "ServerOrderUnitTaken",
      "ServerOrderPlaced",
      "ServerOrderCharged",
      "ComputeOrderCompleted",
      "ServerOrderCompleted",
    ]);
  });

  test("its invoice shows the VAT that the price contains, unless the account is exempt", () => {
    const vatOf = (vatExempt: boolean): unknown => {
      const chance = chanceFrom([]);
      const world = new ServerOrderWorld(chance, vatExempt);
      play(world, order.grossCents, chance);
      const invoices = world.account.stream.events.filter((event) => event.type === "InvoiceIssued");
      const { netCents, vatCents, grossCents, serverId, planId } = invoices.at(-1)?.data ?? {};
      return { netCents, vatCents, grossCents, serverId, planId };
    };
    const subject = { grossCents: "2997", serverId: 5, planId: 2 };
    expect(vatOf(false)).toEqual({ ...subject, netCents: "2518", vatCents: "479" });
    expect(vatOf(true)).toEqual({ ...subject, netCents: "2997", vatCents: "0" });
  });
});
