import { describe, expect, it } from "vitest";

import type { ParcelInput } from "./parcel.fixture.ts";
import { RunOutOfSightError } from "./run-in-hand.ts";
import { accepted, context, pass, settle, openHarness } from "./harness.fixture.ts";

describe("a manager that stops", () => {
  it("finishes a run's current step, and stores its result", async () => {
    const carrier = Promise.withResolvers<ParcelInput>();
    const { manager, diary } = openHarness({ ship: [() => carrier.promise] });
    manager.start("parcel-1", accepted, context);
    await settle();
    let stopped = false;
    const stopping = manager.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);

    carrier.resolve({ type: "lost" });
    await stopping;
    expect(diary.slice(2)).toEqual(["ship", "stored ParcelLost"]);
    expect(manager.activeRuns).toBe(0);
  });

  it("leaves the rest to the run's next driver", async () => {
    const carrier = Promise.withResolvers<ParcelInput>();
    const harness = openHarness({ ship: [() => carrier.promise] });
    harness.manager.start("parcel-1", accepted, context);
    await settle();
    carrier.resolve({ type: "lost" });
    await harness.manager.stop();
    await harness.another("owner-2").manager.takeUp("parcel-1");
    await settle();
    expect(harness.diary.slice(-2)).toEqual(["refund", "stored ParcelRefunded"]);
  });

  it("cuts the wait for a later attempt", async () => {
    const until = "2026-03-02T10:00:00.000000Z";
    const { manager, diary } = openHarness({ ship: [{ type: "delayed", until }] });
    manager.start("parcel-1", accepted, context);
    await settle();
    await manager.stop();
    expect(diary.slice(2)).toEqual(["ship", "stored ParcelDelayed"]);
  });

  it("cuts the wait after a technical failure, and does not try again", async () => {
    const { manager, diary } = openHarness({ pack: [new Error("down")] });
    manager.start("parcel-1", accepted, context);
    await settle();
    await manager.stop();
    await pass(10_000);
    expect(diary).toEqual(["pack", "stored ParcelAccepted"]);
  });

  it("does not confuse a step's last failure with the end of the run", async () => {
    const packing = Promise.withResolvers<ParcelInput>();
    const { manager, diary } = openHarness({ pack: [() => packing.promise] }, { stepAttempts: 1 });
    manager.start("parcel-1", accepted, context);
    await settle();
    packing.reject(new Error("down"));
    await manager.stop();
    expect(diary).toEqual(["pack", "stored ParcelAccepted"]);
  });

  it("answers waiting callers that the run continues later", async () => {
    const until = "2026-03-02T10:00:00.000000Z";
    const { manager } = openHarness({ ship: [{ type: "delayed", until }] });
    manager.start("parcel-1", accepted, context);
    await settle();
    const answer = expect(manager.until("parcel-1", () => undefined)).rejects.toThrow(RunOutOfSightError);
    await manager.stop();
    await answer;
  });

  it("takes no further step of a run that is started afterwards, but stores its beginning", async () => {
    const { manager, diary } = openHarness();
    await manager.stop();
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary).toEqual(["stored ParcelAccepted"]);
  });

  it("has nothing to wait for without runs", async () => {
    await expect(openHarness().manager.stop()).resolves.toBeUndefined();
  });
});
