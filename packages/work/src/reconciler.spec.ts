import { createLocalLeases, type Leases } from "./leases/index.ts";
import { defined } from "@hostledger/runtime";
import { realTiming } from "@hostledger/runtime/async";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { AttemptEnd, Orphan } from "./effects.ts";
import { createReconciler, type Reconciler } from "./reconciler.ts";

const context = { correlationId: "correlation-1", actor: "account:7" };
const lamp = { id: "lamp-1", resource: "house-1" };
const pauses = { firstMs: 100, longestMs: 400 };

/** What the provider does with a call: in words of what becomes of the lamp, and of what is heard of it. */
type Answer = "done" | "refused" | "unanswered, done" | "unanswered, not done" | "throws";

/** A house with a lamp: what the facts want, what is so outside, and whoever looks after it. */
interface House {
  /** What the facts want of the lamp; undefined once they say what came of it. */
  wanted: "on" | "off" | undefined;
  observed: "on" | "off";
  /** How calls are answered, one after the other; then as the last. */
  answers: Answer[];
  /** The facts that came of it. */
  readonly facts: string[];
  /** What the provider was told, and asked. */
  readonly calls: string[];
  readonly attempts: { readonly number: number; readonly isUncertain: boolean; readonly atMs: number }[];
  factsAreReadable: boolean;
}

function houseWith(house: Partial<House> = {}): House {
  return {
    wanted: "on",
    observed: "off",
    answers: ["done"],
    facts: [],
    calls: [],
    attempts: [],
    factsAreReadable: true,
    ...house,
  };
}

function nextAnswer(house: House): Answer {
  const [answer = "done"] = house.answers;
  if (house.answers.length > 1) house.answers.shift();
  return answer;
}

/** One process that looks after the house. */
function keep(house: House, options: { leases?: Leases; orphans?: Orphan[]; nowMs?: () => number } = {}) {
  const { leases, orphans = [], nowMs = () => 1_000_000 } = options;
  const startMs = Date.now();
  const log: string[] = [];
  function record(fact: string): AttemptEnd<string> {
    house.facts.push(fact);
    house.wanted = undefined;
    return { kind: "recorded" };
  }
  const reconciler: Reconciler<string> = createReconciler<"on" | "off", string>({
    effects: {
      wanted() {
        if (!house.factsAreReadable) throw new Error("the store is away");
        return Promise.resolve(house.wanted);
      },
      nameOf: (wanted) => wanted,
      async attempt(_, wanted, { number, isUncertain }) {
        house.attempts.push({ number, isUncertain, atMs: Date.now() - startMs });
        house.calls.push(`turn ${wanted}`);
        const answer = nextAnswer(house);
        await Promise.resolve();
        if (answer === "throws") throw new Error("a bug");
        if (answer === "refused" && !isUncertain) return record("refused");
        if (answer === "done" || answer === "unanswered, done") house.observed = wanted;
        if (answer === "done") return record("done");
        house.calls.push("ask");
        if (house.observed === wanted) return record("done");
        return answer === "refused" ? record("refused") : { kind: "open", reason: "no answer" };
      },
      attemptsInSight: () => 2,
      backoffOf: () => pauses,
    },
    clock: { ...realTiming, epochMilliseconds: nowMs },
    logger: { error: (_, message) => log.push(message), info: (_, message) => log.push(message) },
    leasePrefix: "lamp",
    ...defined({ leases }),
    orphans: () => Promise.resolve(orphans),
  });
  return { reconciler, log };
}

async function hold(reconciler: Reconciler<string>) {
  const held = await reconciler.acquire(lamp.resource, 0);
  if (held === undefined) throw new Error("the house is busy");
  return held;
}

/** Pursues the lamp, holding the house, until it ends. */
async function pursued(house: House, { isTakenOver = false } = {}): Promise<void> {
  const { reconciler } = keep(house);
  const { ended } = reconciler.pursue(lamp, { context, isTakenOver, hold: await hold(reconciler) });
  await vi.runAllTimersAsync();
  await ended;
}

beforeEach(() => {
  vi.useFakeTimers();
  // Pauses are as long as chance may make them.
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("what is wanted, what is so, and what is answered", () => {
  it.each<[House["wanted"], House["observed"], Answer[], string[], House["observed"]]>([
    [undefined, "off", ["done"], [], "off"],
    ["on", "off", ["done"], ["done"], "on"],
    ["on", "on", ["done"], ["done"], "on"],
    ["on", "off", ["refused"], ["refused"], "off"],
    ["on", "off", ["unanswered, done"], ["done"], "on"],
    ["on", "off", ["unanswered, not done", "done"], ["done"], "on"],
    ["on", "off", ["unanswered, not done", "refused"], ["refused"], "off"],
    ["on", "off", ["unanswered, not done", "unanswered, done", "refused"], ["done"], "on"],
    ["on", "off", ["throws", "done"], ["done"], "on"],
    ["on", "off", ["throws", "throws", "refused"], ["refused"], "off"],
  ])(
    "wanted %s, observed %s, answers %j: facts %j, then %s",
    async (wanted, observed, answers, facts, after) => {
      const house = houseWith({ wanted, observed, answers });
      await pursued(house);
      expect(house.facts).toEqual(facts);
      expect(house.observed).toBe(after);
    },
  );

  it("is uncertain after the first attempt, and from the start where another process began", async () => {
    const house = houseWith({ answers: ["unanswered, not done", "throws", "done"] });
    await pursued(house);
    expect(house.attempts.map(({ isUncertain }) => isUncertain)).toEqual([false, true, true]);
    const left = houseWith();
    await pursued(left, { isTakenOver: true });
    expect(left.attempts.map(({ isUncertain }) => isUncertain)).toEqual([true]);
  });

  it("is tried at longer and longer pauses, up to the longest, and without end", async () => {
    const house = houseWith({ answers: [...Array<Answer>(6).fill("unanswered, not done"), "done"] });
    await pursued(house);
    expect(house.attempts.map(({ atMs }) => atMs)).toEqual([0, 100, 300, 700, 1_100, 1_500, 1_900]);
  });

  it("may become something else, which is counted anew", async () => {
    const house = houseWith({ answers: ["unanswered, not done", "done", "done"] });
    const { reconciler } = keep(house);
    const pursuit = reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    await vi.advanceTimersByTimeAsync(99);
    house.wanted = "off";
    await vi.runAllTimersAsync();
    await pursuit.ended;
    expect(house.attempts).toEqual([
      { number: 1, isUncertain: false, atMs: 0 },
      { number: 1, isUncertain: false, atMs: 100 },
    ]);
  });

  it("is found in the facts again where they could not be read", async () => {
    const house = houseWith({ factsAreReadable: false });
    const { reconciler } = keep(house);
    const pursuit = reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    await vi.advanceTimersByTimeAsync(50);
    house.factsAreReadable = true;
    await vi.runAllTimersAsync();
    await pursuit.ended;
    expect(house.facts).toEqual(["done"]);
  });
});

describe("a process that dies in between", () => {
  it.each<[string, Partial<House>, Answer[], string[]]>([
    ["before the call", {}, ["done"], ["done"]],
    ["after the call, before its fact", { observed: "on" }, ["refused"], ["done"]],
    ["after the call that did nothing", {}, ["refused"], ["refused"]],
    ["after the fact", { wanted: undefined, observed: "on" }, ["done"], []],
  ])("%s: the next one ends it", async (_, left, answers, facts) => {
    const house = houseWith({ ...left, answers });
    const orphan = { ...lamp, since: new Date(0).toISOString(), contextOf: () => Promise.resolve(context) };
    const { reconciler } = keep(house, { orphans: [orphan] });
    const stopping = new AbortController();
    const rounds = reconciler.resumeOrphaned(stopping.signal);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(house.facts).toEqual(facts);
    expect(house.attempts.every(({ isUncertain }) => isUncertain)).toBe(true);
    stopping.abort();
    await rounds;
  });
});

describe("rounds that look for orphans", () => {
  const orphanOf = (ageMs: number, found = true): Orphan => ({
    ...lamp,
    since: new Date(1_000_000 - ageMs).toISOString(),
    contextOf: () => Promise.resolve(found ? context : undefined),
  });

  async function after(orphan: Orphan, ms: number, prepare?: (reconciler: Reconciler<string>) => unknown) {
    const house = houseWith();
    const { reconciler } = keep(house, { orphans: [orphan] });
    await prepare?.(reconciler);
    const stopping = new AbortController();
    const rounds = reconciler.resumeOrphaned(stopping.signal);
    await vi.advanceTimersByTimeAsync(ms);
    stopping.abort();
    await rounds;
    return house;
  }

  it("take over at once at the start, however young they are", async () => {
    expect((await after(orphanOf(0), 0)).facts).toEqual(["done"]);
  });

  it("leave those whose request may still have them, and those that no fact knows", async () => {
    const busy = (reconciler: Reconciler<string>) => reconciler.acquire(lamp.resource, 0);
    expect((await after(orphanOf(0), 20_000, busy)).facts).toEqual([]);
    expect((await after(orphanOf(60_000, false), 20_000)).facts).toEqual([]);
  });
});

describe("who waits", () => {
  it("is told why it is not so yet, after the attempts in sight", async () => {
    const house = houseWith({ answers: ["unanswered, not done"] });
    const { reconciler } = keep(house);
    const pursuit = reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    const reported = reconciler.within(pursuit, 10_000);
    await vi.advanceTimersByTimeAsync(100);
    await expect(reported).resolves.toBe("no answer");
    house.answers = ["done"];
    await vi.runAllTimersAsync();
    await pursuit.ended;
  });

  it("waits no longer than it wants to, and no longer than it takes", async () => {
    const house = houseWith({ answers: ["throws", "done"] });
    const { reconciler } = keep(house);
    const pursuit = reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    const impatient = reconciler.within(pursuit, 50);
    await vi.advanceTimersByTimeAsync(50);
    await expect(impatient).resolves.toBeUndefined();
    expect(house.facts).toEqual([]);
    const patient = reconciler.within(pursuit, 10_000);
    await vi.advanceTimersByTimeAsync(50);
    await expect(patient).resolves.toBeUndefined();
    expect(house.facts).toEqual(["done"]);
  });

  it("joins what is pursued already", async () => {
    const house = houseWith({ answers: ["unanswered, not done", "done"] });
    const { reconciler } = keep(house);
    const pursuit = reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    expect(reconciler.pursuitOf(lamp.id)).toBe(pursuit);
    expect(reconciler.pursue(lamp, { context, isTakenOver: false })).toBe(pursuit);
    await vi.runAllTimersAsync();
    await pursuit.ended;
    expect(reconciler.pursuitOf(lamp.id)).toBeUndefined();
    expect(house.attempts).toHaveLength(2);
  });
});

describe("one thing at a time", () => {
  it("holds a resource as long as it takes", async () => {
    const house = houseWith({ answers: ["unanswered, not done", "done"] });
    const { reconciler } = keep(house);
    reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    await expect(reconciler.acquire(lamp.resource, 0)).resolves.toBeUndefined();
    const waiting = reconciler.acquire(lamp.resource, 1_000);
    await vi.advanceTimersByTimeAsync(100);
    (await waiting)?.release();
    expect(house.facts).toEqual(["done"]);
  });

  it("takes it for each attempt where it is not held: other work goes on in between", async () => {
    const house = houseWith({ answers: ["unanswered, not done", "done"] });
    const { reconciler } = keep(house);
    reconciler.pursue(lamp, { context, isTakenOver: false });
    await vi.advanceTimersByTimeAsync(50);
    const gate = Promise.withResolvers<undefined>();
    const work = reconciler.exclusively(lamp.resource, () => gate.promise);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(house.attempts).toHaveLength(1);
    gate.resolve(undefined);
    await work;
    await vi.runAllTimersAsync();
    expect(house.facts).toEqual(["done"]);
  });

  it("among processes: who has no lease does nothing, and who loses it stops", async () => {
    const lost = new AbortController();
    let isFree = true;
    const released: string[] = [];
    const leases: Leases = {
      tryAcquire(name) {
        if (!isFree) return Promise.resolve(undefined);
        isFree = false;
        const release = (): Promise<void> => {
          released.push(name);
          return Promise.resolve();
        };
        return Promise.resolve({ name, lost: lost.signal, release });
      },
      hasRoom: true,
      close: () => Promise.resolve(),
    };
    const house = houseWith({ answers: ["unanswered, not done"] });
    const { reconciler: first } = keep(house, { leases });
    const { reconciler: second } = keep(house, { leases });
    const pursuit = first.pursue(lamp, { context, isTakenOver: false, hold: await hold(first) });
    const late = second.acquire(lamp.resource, 200);
    await vi.advanceTimersByTimeAsync(300);
    await expect(late).resolves.toBeUndefined();
    lost.abort();
    await pursuit.ended;
    expect(released).toEqual(["lamp-house-1"]);
    expect(house.facts).toEqual([]);
  });

  it("has no room for another pursuit where there are no leases for more", () => {
    const leases = { ...createLocalLeases(), hasRoom: false };
    expect(keep(houseWith(), { leases }).reconciler.hasRoom).toBe(false);
  });
});

describe("one attempt now", () => {
  it("ends what was pursued where it finds everything as it shall be", async () => {
    const house = houseWith({ answers: ["throws"] });
    const { reconciler } = keep(house);
    reconciler.pursue(lamp, { context, isTakenOver: true });
    await vi.advanceTimersByTimeAsync(0);
    house.wanted = undefined;
    await expect(reconciler.settle(lamp, context)).resolves.toEqual({ kind: "agreed" });
    await vi.advanceTimersByTimeAsync(0);
    expect(reconciler.pursuing).toBe(0);
  });

  it("goes on by itself, after a pause, where it did not do", async () => {
    for (const answer of ["unanswered, not done", "throws"] as const) {
      const house = houseWith({ answers: [answer, "done"] });
      const { reconciler } = keep(house);
      const first = reconciler.settle(lamp, context);
      await (answer === "throws"
        ? expect(first).rejects.toThrow("a bug")
        : expect(first).resolves.toEqual({ kind: "open", reason: "no answer" }));
      expect(reconciler.pursuing).toBe(1);
      await vi.runAllTimersAsync();
      expect(house.facts).toEqual(["done"]);
      expect(reconciler.pursuing).toBe(0);
    }
  });
});

describe("the end", () => {
  it("comes after the attempt in hand, and releases what is held", async () => {
    const house = houseWith({ answers: ["unanswered, not done"] });
    const { reconciler } = keep(house);
    const pursuit = reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    await vi.advanceTimersByTimeAsync(50);
    await reconciler.stop();
    await pursuit.ended;
    expect(house.attempts).toHaveLength(1);
    (await hold(reconciler)).release();
  });

  it("that is recorded and still wanted is a bug that does not turn in circles", async () => {
    const house = houseWith();
    const { reconciler, log } = keep(house);
    Object.defineProperty(house, "wanted", {
      get: () => "on",
      set() {
        // Whatever it is told, it stays as it was.
      },
    });
    reconciler.pursue(lamp, { context, isTakenOver: false, hold: await hold(reconciler) });
    await vi.advanceTimersByTimeAsync(150);
    expect(log).toContain("an attempt failed");
    expect(house.attempts.length).toBeLessThan(4);
    await reconciler.stop();
  });
});
