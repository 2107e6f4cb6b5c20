import { readMetadata } from "@hostledger/store";
import { describe, expect, it } from "vitest";

import { RunOutOfSightError } from "./run-in-hand.ts";
import { longestParcelPauseMs, type ParcelState } from "./parcel.fixture.ts";
import { refusedWith } from "./scripted-store.fixture.ts";
import { accepted, context, pass, settle, openHarness } from "./harness.fixture.ts";

describe("when a run's events are stored", () => {
  it("is before a call and at completion, not before a command to our own aggregates", async () => {
    const { manager, diary } = openHarness();
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary).toEqual(["pack", "stored ParcelAccepted ParcelPacked", "ship", "stored ParcelShipped"]);
    expect(manager.activeRuns).toBe(0);
  });

  it("is before a compensation", async () => {
    const { manager, diary } = openHarness({ ship: ["lost"] });
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary.slice(2)).toEqual(["ship", "stored ParcelLost", "refund", "stored ParcelRefunded"]);
  });

  it("is when the run is suspended", async () => {
    const { manager, diary } = openHarness({ pack: ["failed"] });
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary).toEqual(["pack", "stored ParcelAccepted ParcelParked"]);
    expect(manager.isActive("parcel-1")).toBe(false);
  });

  it("is when the run stops on an error, so that its next driver has them", async () => {
    const { manager, diary, store } = openHarness({ ship: ["packed"] });
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary.at(-1)).toBe("ship");
    expect(store.typesOf("parcel-1")).toEqual(["ParcelAccepted", "ParcelPacked"]);
  });

  it("is with the metadata of the request that began the run", async () => {
    const { manager, store } = openHarness();
    manager.start("parcel-1", accepted, { ...context, idempotencyKey: "key-1" });
    await settle();
    for (const event of store.eventsOf("parcel-1")) {
      expect(readMetadata(event.metadata)).toMatchObject({
        correlationId: "correlation-1",
        causationId: "parcel-1",
        actor: "account:7",
        requestId: "r-1",
        idempotencyKey: "key-1",
        recordedBy: "spec",
      });
    }
  });
});

describe("an answer", () => {
  const isShipped = ({ status }: ParcelState): true | undefined => (status === "shipped" ? true : undefined);

  it("is given after its events are stored, not before", async () => {
    const { manager, diary } = openHarness();
    manager.start("parcel-1", accepted, context);
    await manager.until("parcel-1", isShipped);
    expect(diary.at(-1)).toBe("stored ParcelShipped");
  });

  it("is not given if they cannot be stored: after a crash the run could continue differently", async () => {
    const { manager, store, diary } = openHarness();
    store.plan((stored) => stored(), refusedWith(new Error("the disk is full")));
    manager.start("parcel-1", accepted, context);
    await expect(manager.until("parcel-1", isShipped)).rejects.toThrow(RunOutOfSightError);
    expect(diary.at(-1)).toBe("ship");
  });
});

describe("a step", () => {
  it("that fails technically is repeated after pauses, and the later result counts", async () => {
    const failure = new Error("no connection");
    const { manager, diary, log } = openHarness({ pack: [failure, failure, "packed"] });
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary).toEqual(["pack"]);
    await pass(49);
    expect(diary).toEqual(["pack"]);
    await pass(1);
    expect(diary).toEqual(["pack", "pack"]);
    await pass(100);
    expect(diary.slice(2)).toEqual([
      "pack",
      "stored ParcelAccepted ParcelPacked",
      "ship",
      "stored ParcelShipped",
    ]);
    expect(log).toEqual(["a step of the run failed", "a step of the run failed"]);
  });

  it("that fails as often as it may is fed back as failed, with the reason cut to a bearable length", async () => {
    const { manager, diary, store } = openHarness(
      { pack: [new Error("x".repeat(2_000))] },
      { stepAttempts: 3 },
    );
    manager.start("parcel-1", accepted, context);
    await pass(150);
    expect(diary).toEqual(["pack", "pack", "pack", "stored ParcelAccepted ParcelParked"]);
    expect(JSON.parse(store.eventsOf("parcel-1")[1]?.data ?? "")).toEqual({ reason: "x".repeat(500) });
  });

  it("waits five seconds at most before it is repeated", async () => {
    const { manager, diary } = openHarness({ pack: [new Error("down")] });
    manager.start("parcel-1", accepted, context);
    await pass(50 + 100 + 200 + 400 + 800 + 1_600 + 3_200);
    expect(diary).toHaveLength(8);
    await pass(5_000);
    expect(diary).toHaveLength(9);
  });

  it("whose answer adds nothing stops the run: it would turn in a circle", async () => {
    const { manager, diary, log } = openHarness({ pack: ["shipped"] });
    manager.start("parcel-1", accepted, context);
    const answer = manager.until("parcel-1", () => undefined);
    await expect(answer).rejects.toThrow(RunOutOfSightError);
    expect(diary).toEqual(["pack"]);
    expect(log).toEqual(["the run stopped; it will be taken up again"]);
  });

  it("is made after the longest pause, even if a clock that was ahead has named a far day", async () => {
    const until = "2028-03-01T10:00:00.000000Z";
    const { manager, diary } = openHarness({ ship: [{ type: "delayed", until }, "shipped"] });
    manager.start("parcel-1", accepted, context);
    await pass(longestParcelPauseMs - 1);
    expect(diary.filter((entry) => entry === "ship")).toHaveLength(1);
    await pass(1);
    expect(diary.filter((entry) => entry === "ship")).toHaveLength(2);
  });

  it("is not made before its time", async () => {
    const until = "2026-03-01T10:03:00.000000Z";
    const { manager, diary } = openHarness({ ship: [{ type: "delayed", until }, "shipped"] });
    manager.start("parcel-1", accepted, context);
    await pass(179_999);
    expect(diary.slice(2)).toEqual(["ship", "stored ParcelDelayed"]);
    await pass(1);
    expect(diary.slice(4)).toEqual(["ship", "stored ParcelShipped"]);
  });

  it("that waits is made at once after news, and waits again without news", async () => {
    const until = "2026-03-02T10:00:00.000000Z";
    const { manager, diary } = openHarness({
      ship: [{ type: "delayed", until }, { type: "delayed", until }, "shipped"],
    });
    manager.start("parcel-1", accepted, context);
    await settle();
    manager.hasten("parcel-1");
    manager.hasten("parcel-9");
    await settle();
    expect(diary.filter((line) => line === "ship")).toHaveLength(2);
    manager.hasten("parcel-1");
    await settle();
    expect(diary.at(-1)).toBe("stored ParcelShipped");
  });

  it("whose time is past is made at once", async () => {
    const until = "2026-03-01T09:00:00.000000Z";
    const { manager, diary } = openHarness({ ship: [{ type: "delayed", until }, "shipped"] });
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary.at(-1)).toBe("stored ParcelShipped");
  });
});

describe("the answer of a run", () => {
  const isShipped = ({ status }: { readonly status: string }): string | undefined =>
    status === "shipped" ? "on its way" : undefined;

  it("is given when the state contains it", async () => {
    const { manager } = openHarness();
    manager.start("parcel-1", accepted, context);
    await expect(manager.until("parcel-1", isShipped)).resolves.toBe("on its way");
  });

  it("is given at once if the state contains it already", async () => {
    const until = "2026-03-02T10:00:00.000000Z";
    const { manager } = openHarness({ ship: [{ type: "delayed", until }] });
    manager.start("parcel-1", accepted, context);
    await settle();
    await expect(manager.until("parcel-1", ({ status }) => status)).resolves.toBe("shipping");
  });

  it("is given to every waiting caller", async () => {
    const { manager } = openHarness();
    manager.start("parcel-1", accepted, context);
    const answers = [manager.until("parcel-1", isShipped), manager.until("parcel-1", isShipped)];
    await expect(Promise.all(answers)).resolves.toEqual(["on its way", "on its way"]);
  });

  it("never comes from a run that stops without it", async () => {
    const { manager } = openHarness({ ship: ["lost"] });
    manager.start("parcel-1", accepted, context);
    await expect(manager.until("parcel-1", isShipped)).rejects.toThrow(RunOutOfSightError);
  });

  it("never comes from a run that is not active here", async () => {
    const { manager } = openHarness();
    await expect(manager.until("parcel-1", isShipped)).rejects.toThrow("not active here");
  });
});

describe("the number of runs", () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it("has a limit, which is checked before anything is promised", () => {
    const { manager } = openHarness({ pack: [never] }, { activeLimit: 2 });
    manager.start("parcel-1", accepted, context);
    expect(manager.hasRoom).toBe(true);
    manager.start("parcel-2", accepted, context);
    expect(manager.hasRoom).toBe(false);
    expect(() => {
      manager.start("parcel-3", accepted, context);
    }).toThrow(RunOutOfSightError);
    expect(manager.activeRuns).toBe(2);
  });

  it("counts a run once, however often it is started", async () => {
    const { manager, diary } = openHarness({ pack: [never] }, { activeLimit: 1 });
    manager.start("parcel-1", accepted, context);
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(manager.activeRuns).toBe(1);
    expect(diary).toEqual(["pack"]);
  });

  it("releases a run that fails at its first input", async () => {
    const { manager, log } = openHarness({}, { activeLimit: 1 });
    manager.start("parcel-1", { type: "broken" }, context);
    await settle();
    expect(manager.hasRoom).toBe(true);
    expect(log).toEqual(["the run stopped; it will be taken up again"]);
  });
});
