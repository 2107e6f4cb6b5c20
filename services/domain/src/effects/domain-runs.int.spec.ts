import { registrationExamples } from "@hostledger/core/testing";
import { done, refused } from "@hostledger/providers";
import { yieldToOthers } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { heldDomain, openRunsHarness, runRow, type RunsHarness } from "./runs-harness.fixture.ts";

const { samples: events } = registrationExamples;

beforeEach(() => {
  // Rounds begin when the spec says so; the store's own threads go on.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Begins the rounds, until the test ends. */
function resumeOrphaned({ engine }: RunsHarness): { readonly ended: Promise<void>; end(): void } {
  const stopping = new AbortController();
  const ended = engine.runInEveryProcess(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  return {
    ended,
    end() {
      stopping.abort();
    },
  };
}

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await yieldToOthers();
}

const isEnded = async (harness: RunsHarness, run: string): Promise<boolean> =>
  (await harness.typesOf(run)).at(-1) === "RegistrationCompleted";

const nextRound = () => vi.advanceTimersByTimeAsync(5_000);

describe("at start-up", () => {
  it("a run with an empty stream begins from its reservation", async () => {
    const harness = await openRunsHarness();
    await harness.reserve("registration-1", "one.com");
    harness.rows.push(runRow("registration-1", "one.com", { ageSeconds: 0 }));
    resumeOrphaned(harness);
    await eventually(() => isEnded(harness, "registration-1"));
    expect(harness.asked).toEqual(["charge registration-1", "register one.com"]);
    await expect(harness.typesOf("domain-one.com")).resolves.toEqual([
      "RegistrationReserved.v2",
      "DomainRegistered",
    ]);
  });

  it("a run that was cut off around its order asks before it orders, and charges nothing again", async () => {
    const harness = await openRunsHarness();
    await harness.reserve("r-1", "example.com");
    await harness.write("r-1", [events.RegistrationStarted, events.RegistrationCharged]);
    harness.rows.push(runRow("r-1", "example.com"));
    resumeOrphaned(harness);
    await eventually(() => isEnded(harness, "r-1"));
    expect(harness.asked).toEqual(["inquire example.com", "register example.com"]);
  });

  it("a run with a completed order uses the registrar's present data", async () => {
    const holding = { held: true, domain: heldDomain("example.com", "r-1", []) } as const;
    const harness = await openRunsHarness({ registrar: { inquire: () => Promise.resolve(done(holding)) } });
    await harness.reserve("r-1", "example.com");
    await harness.write("r-1", [events.RegistrationStarted, events.RegistrationCharged]);
    harness.rows.push(runRow("r-1", "example.com"));
    resumeOrphaned(harness);
    await eventually(() => isEnded(harness, "r-1"));
    expect(harness.asked).toEqual(["inquire example.com"]);
  });

  it("a run with only its reservation may have ordered: a refusal of its order leads to an inquiry", async () => {
    const holding = { held: true, domain: heldDomain("one.com", "r-1", []) } as const;
    const harness = await openRunsHarness({
      registrar: {
        register: () => Promise.resolve(refused("rejected", "The name is not available")),
        inquire: () => Promise.resolve(done(holding)),
      },
    });
    await harness.reserve("r-1", "one.com");
    harness.rows.push(runRow("r-1", "one.com"));
    resumeOrphaned(harness);
    await eventually(() => isEnded(harness, "r-1"));
    expect(harness.asked).toEqual(["charge r-1", "register one.com", "inquire one.com"]);
    await expect(harness.typesOf("r-1")).resolves.toEqual([
      "RegistrationStarted",
      "RegistrarOutcomeUnknown",
      "RegistrationCharged",
      "RegistrarOutcomeUnknown",
      "RegistrarOrderCompleted",
      "RegistrationConfirmed",
      "RegistrationCompleted",
    ]);
  });

  it("a run acts on behalf of the request that reserved its name", async () => {
    const harness = await openRunsHarness();
    await harness.reserve("registration-1", "one.com");
    harness.rows.push(runRow("registration-1", "one.com"));
    resumeOrphaned(harness);
    await eventually(() => isEnded(harness, "registration-1"));
    expect(new Set(await harness.actorsOf("registration-1"))).toEqual(new Set(["account:7"]));
    expect(new Set(await harness.actorsOf("domain-one.com"))).toEqual(new Set(["account:7"]));
  });
});

describe("in a later round", () => {
  it("an unfinished run without a driver is taken over; suspended and young ones are left", async () => {
    const harness = await openRunsHarness();
    resumeOrphaned(harness);
    await harness.reserve("parked-1", "parked.com");
    await harness.reserve("young-1", "young.com");
    await harness.reserve("left-1", "left.com");
    harness.rows.push(
      runRow("parked-1", "parked.com", { status: "parked" }),
      runRow("young-1", "young.com", { ageSeconds: 4 }),
      runRow("left-1", "left.com", { ageSeconds: 11 }),
    );
    await vi.advanceTimersByTimeAsync(4_999);
    expect(harness.asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await eventually(() => isEnded(harness, "left-1"));
    expect(harness.asked).toEqual(["charge left-1", "register left.com"]);

    harness.clock.advance(6_000);
    await nextRound();
    await eventually(() => isEnded(harness, "young-1"));
    await expect(harness.typesOf("parked-1")).resolves.toEqual([]);
  });

  it("a run that began under a clock that was ahead does not count as young: it is taken over at once", async () => {
    const harness = await openRunsHarness();
    resumeOrphaned(harness);
    await harness.reserve("ahead-1", "ahead.com");
    harness.rows.push(runRow("ahead-1", "ahead.com", { ageSeconds: -2 * 365 * 86_400 }));
    await nextRound();
    await eventually(() => isEnded(harness, "ahead-1"));
    expect(harness.asked).toEqual(["charge ahead-1", "register ahead.com"]);
  });

  it("a run that is driven here is left to its driver", async () => {
    const order = Promise.withResolvers<ReturnType<typeof done<ReturnType<typeof heldDomain>>>>();
    const harness = await openRunsHarness({ registrar: { register: () => order.promise } });
    await harness.reserve("registration-1", "one.com");
    harness.rows.push(runRow("registration-1", "one.com"));
    resumeOrphaned(harness);
    await eventually(() => harness.asked.includes("register one.com"));
    await nextRound();
    await nextRound();
    order.resolve(done(heldDomain("one.com", "registration-1", [])));
    await eventually(() => isEnded(harness, "registration-1"));
    expect(harness.asked).toEqual(["charge registration-1", "register one.com"]);
  });

  it("a row without a matching reservation is left alone", async () => {
    const harness = await openRunsHarness();
    await harness.reserve("other-1", "one.com");
    await harness.reserve("left-1", "left.com");
    harness.rows.push(
      runRow("gone-1", "gone.com"),
      runRow("stranger-1", "one.com"),
      runRow("left-1", "left.com"),
    );
    resumeOrphaned(harness);
    await eventually(() => isEnded(harness, "left-1"));
    expect(harness.asked).toEqual(["charge left-1", "register left.com"]);
  });

  it("a run that found no room in an earlier one finds its driver", async () => {
    const orders: (() => void)[] = [];
    const harness = await openRunsHarness({
      activeLimit: 1,
      registrar: {
        register: async ({ name, clientTransactionId }) => {
          await new Promise<void>((resolve) => orders.push(resolve));
          return done(heldDomain(name, clientTransactionId, []));
        },
      },
    });
    await harness.reserve("registration-1", "one.com");
    await harness.reserve("registration-2", "two.com");
    harness.rows.push(runRow("registration-1", "one.com"), runRow("registration-2", "two.com"));
    resumeOrphaned(harness);
    await eventually(() => orders.length === 1);
    await nextRound();
    expect(harness.asked).toEqual(["charge registration-1", "register one.com"]);

    orders[0]?.();
    await eventually(() => isEnded(harness, "registration-1"));
    await eventually(() => harness.runs.hasRoom);
    harness.rows.shift();
    await nextRound();
    await eventually(() => orders.length === 2);
    orders[1]?.();
    await eventually(() => isEnded(harness, "registration-2"));
  });
});

describe("a request that is repeated", () => {
  it("begins the run of a reservation that has none yet, and waits for it", async () => {
    const harness = await openRunsHarness();
    await harness.reserve("registration-1", "one.com");
    await expect(harness.runs.recall("registration-1", "one.com")).resolves.toMatchObject({
      subject: { registrationId: "registration-1", name: "one.com" },
      answer: { kind: "done" },
    });
    expect(harness.asked).toEqual(["charge registration-1", "register one.com"]);
    await expect(harness.runs.recall("registration-1", "one.com")).resolves.toMatchObject({
      answer: { kind: "done" },
    });
    expect(harness.asked).toHaveLength(2);
  });

  it("finds nothing if nothing was begun, or another order was", async () => {
    const harness = await openRunsHarness();
    await harness.reserve("registration-2", "one.com");
    for (const name of ["one.com", "two.com"])
      await expect(harness.runs.recall("registration-1", name)).resolves.toBeUndefined();
    expect(harness.asked).toEqual([]);
  });
});

describe("the end of the rounds", () => {
  it("comes at once, also while nothing is due", async () => {
    const harness = await openRunsHarness();
    const rounds = resumeOrphaned(harness);
    await nextRound();
    rounds.end();
    await rounds.ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may come in the middle of a round: the rest is left to the next owner", async () => {
    const rounds = new AbortController();
    const harness = await openRunsHarness({
      onRead(stream) {
        if (stream === "registration-1") rounds.abort();
      },
    });
    await harness.reserve("registration-1", "one.com");
    await harness.reserve("registration-2", "two.com");
    harness.rows.push(runRow("registration-1", "one.com"), runRow("registration-2", "two.com"));
    await harness.engine.runInEveryProcess(rounds.signal);
    await harness.runs.stop();
    expect(harness.asked).not.toContain("charge registration-2");
    await expect(harness.typesOf("registration-2")).resolves.toEqual([]);
  });
});
