import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { CorruptStreamError, type DomainEvent } from "../../kernel/decider.ts";
import type { EventCodec } from "../../kernel/event-codec.ts";
import type { PaidOrderInput } from "./paid-order.inputs.ts";
import type { Chance } from "./paid-order.pending.fixture.ts";
import { chanceFrom } from "./paid-order.scenario.fixture.ts";
import { expectSettled, play, type Outside, type Play } from "./paid-order.simulator.fixture.ts";
import { printTable, type Tabled } from "./paid-order.table.fixture.ts";

/** A process with the examples that {@link describePaidOrder} tests. */
export interface PaidOrderExamples<Subject, Held, Event extends DomainEvent> extends Tabled<
  Subject,
  Held,
  Event
> {
  readonly histories: Readonly<Record<string, readonly Event[]>> & { readonly ended: readonly Event[] };
  readonly title: string;
  /** Path of the printed table, beside the process. */
  readonly table: string;
  readonly codec: EventCodec<Event>;
  readonly events: Readonly<Record<string, Event>>;
  /** Histories of an earlier design and the status to which each leads now; absent if the process is newer. */
  readonly earlierHistories?: Readonly<
    Record<string, { readonly history: readonly Event[]; readonly status: string }>
  >;
  readonly hasProvider: boolean;
  /** Returns a scenario in which a run is about to begin. */
  scenario(chance: Chance): Play<Subject, Held, Event> & { outside(): Outside };
  /** Types of the events of a run without any failure. */
  readonly goodLuck: readonly string[];
}

/** Tests the rules that every paid order must follow. */
export function describePaidOrder<Subject, Held, Event extends DomainEvent>(
  examples: PaidOrderExamples<Subject, Held, Event>,
): void {
  describe(`${examples.title}, state by state`, () => describeTable(examples));
  const { earlierHistories } = examples;
  if (earlierHistories !== undefined)
    describe(`${examples.title}, as stored by an earlier design`, () =>
      describeUpgrade({ ...examples, earlierHistories }));
  describe(`${examples.title} with random failures`, () => describeSimulation(examples));
}

function describeTable<Subject, Held, Event extends DomainEvent>(
  examples: PaidOrderExamples<Subject, Held, Event>,
): void {
  const { process, codec, events, histories } = examples;
  const fold = (history: readonly Event[]) => history.reduce(process.evolve, process.initialState);

  test("the table lists the effect of every input in every state", async () => {
    await expect(printTable(examples.title, examples)).toMatchFileSnapshot(examples.table);
  });

  test.each(Object.entries(events))("%s is read back as stored", (type, event) => {
    expect(codec.decode(codec.storedType(event.type), JSON.stringify(event.data))).toEqual(event);
    expect(event.type).toBe(type);
  });

  test("an event that cannot follow makes the stream corrupt, in every state", () => {
    for (const history of Object.values(histories)) {
      const state = fold(history);
      for (const event of Object.values(events)) {
        try {
          process.evolve(state, event);
        } catch (error) {
          expect(error).toBeInstanceOf(CorruptStreamError);
        }
      }
    }
    for (const event of Object.values(events)) {
      expect(() => process.evolve(fold(histories.ended), event)).toThrow(CorruptStreamError);
    }
  });

  test("any reason of a provider fits the event", () => {
    const words = ["", "two\nlines", "\ud800", "\u0000", "x".repeat(5_000)];
    const said = (reason: string): readonly PaidOrderInput<Subject, Held>[] =>
      (["refused", "unreachable", "unknown", "failed", "abandoned"] as const)
        .map((type): PaidOrderInput<Subject, Held> => ({ type, reason, at }))
        .concat({ type: "rejected", rejection: { code: "internal", message: reason }, at });
    for (const history of Object.values(histories)) {
      for (const input of words.flatMap(said)) {
        for (const { type, data } of process.decide(input, fold(history))) {
          expect(codec.decode(codec.storedType(type), JSON.stringify(data))).toEqual({ type, data });
        }
      }
    }
  });

  test("a suspended run retries its step with reset attempts, and asks before it orders twice", () => {
    for (const [status, history] of Object.entries(histories)) {
      const state = fold(history);
      const suspended = process
        .decide({ type: "failed", reason: "Down", at }, state)
        .reduce(process.evolve, state);
      if (suspended.status !== "suspended" || status === "suspended") continue;
      const again = process.decide({ type: "retried", at }, suspended).reduce(process.evolve, suspended);
      const expected = { ordering: "asking", confirmed: "ended" }[status] ?? status;
      expect(again.status).toBe(expected);
      if ("attempts" in again) expect(again).toMatchObject({ attempts: 0, notBefore: undefined });
    }
  });
}

const at = "2026-03-01T10:00:00.000000Z";

function describeUpgrade<Subject, Held, Event extends DomainEvent>({
  process,
  earlierHistories,
}: Required<Pick<PaidOrderExamples<Subject, Held, Event>, "process" | "earlierHistories">>): void {
  it.each(Object.entries(earlierHistories))(
    "%s continues with its present step",
    (_, { history, status }) => {
      const state = history.reduce(process.evolve, process.initialState);
      expect(state.status).toBe(status);
      const word = status === "suspended" ? "retried" : "resumed";
      const resumed = process.decide({ type: word, at }, state).reduce(process.evolve, state);
      const { kind } = process.nextAction(resumed, at);
      // Only runs that had nothing but setup left are complete; every other run has a next step.
      expect(kind === "complete").toBe(resumed.status === "ended");
    },
  );
}

function describeSimulation<Subject, Held, Event extends DomainEvent>({
  scenario,
  codec,
  hasProvider,
  goodLuck,
}: PaidOrderExamples<Subject, Held, Event>): void {
  const luck = fc.array(fc.nat(59), { maxLength: 120, size: "max" });

  test("law: in the end the order is paid and delivered, or neither", () => {
    fc.assert(
      fc.property(luck, (numbers) => {
        const set = scenario(chanceFrom(numbers));
        const played = play(set);
        // `played` is undefined if the run crashed before its first event.
        if (played !== undefined) expectSettled(set, played, { ...set.outside(), codec, hasProvider });
      }),
      { numRuns: 3_000 },
    );
  });

  test("without failures the order completes, with one event per step", () => {
    const set = scenario(chanceFrom([]));
    const played = play(set);
    if (played === undefined) throw new Error("the run was not begun");
    expectSettled(set, played, { ...set.outside(), codec, hasProvider });
    expect(played.journal.map(({ type }) => type)).toEqual(goodLuck);
  });
}
