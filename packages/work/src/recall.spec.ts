import { describe, expect, it } from "vitest";

import type { ParcelState } from "./parcel.fixture.ts";
import { RunOutOfSightError } from "./run-in-hand.ts";
import { accepted, context, settle, openHarness } from "./harness.fixture.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const ending = ({ status }: ParcelState): string | undefined =>
  status === "shipped" || status === "refunded" ? status : undefined;

describe("a run that is recalled", () => {
  it("and was never begun does not exist, and nothing is begun", async () => {
    const { manager, diary } = openHarness();
    expect(await manager.recall("parcel-1", ending)).toBeUndefined();
    await settle();
    expect(diary).toEqual([]);
  });

  it("and has ended returns its answer again, and does nothing", async () => {
    const { manager, diary, another } = openHarness();
    manager.start("parcel-1", accepted, context);
    await settle();
    diary.length = 0;
    expect(await manager.recall("parcel-1", ending)).toBe("shipped");
    expect(await another("owner-2").manager.recall("parcel-1", ending)).toBe("shipped");
    await settle();
    expect(diary).toEqual([]);
  });

  it("and is under way here is waited for, by as many as ask", async () => {
    const order = Promise.withResolvers<{ type: "shipped" }>();
    const { manager, diary } = openHarness({ ship: [() => order.promise] });
    manager.start("parcel-1", accepted, context);
    const answers = [manager.recall("parcel-1", ending), manager.recall("parcel-1", ending)];
    await settle();
    order.resolve({ type: "shipped" });
    expect(await Promise.all(answers)).toEqual(["shipped", "shipped"]);
    expect(diary.filter((line) => line === "ship")).toHaveLength(1);
  });

  it("and was interrupted continues, once, for all concurrent callers", async () => {
    const harness = openHarness();
    harness.another("owner-dead", { ship: [never] }).manager.start("parcel-1", accepted, context);
    await settle();
    harness.diary.length = 0;
    const answers = [1, 2, 3].map(() => harness.manager.recall("parcel-1", ending));
    await settle();
    expect(await Promise.all(answers)).toEqual(["shipped", "shipped", "shipped"]);
    expect(harness.diary).toEqual(["stored ParcelTakenOver", "ship", "stored ParcelShipped"]);
  });

  it("and waits for staff has no answer, and stays unchanged", async () => {
    const harness = openHarness({ ship: [new Error("broken")] });
    harness.manager.start("parcel-1", accepted, context);
    await settle();
    harness.diary.length = 0;
    await expect(harness.manager.recall("parcel-1", ending)).rejects.toThrow(RunOutOfSightError);
    await settle();
    expect(harness.diary).toEqual([]);
  });

  it("is not taken up without room", async () => {
    const harness = openHarness({ ship: [never] }, { activeLimit: 1 });
    harness.another("owner-dead").manager.start("parcel-1", accepted, context);
    await settle();
    harness.manager.start("parcel-2", accepted, context);
    await settle();
    await expect(harness.manager.recall("parcel-1", ending)).rejects.toThrow(RunOutOfSightError);
    expect(harness.manager.isActive("parcel-1")).toBe(false);
  });
});

describe("a run that is taken up", () => {
  it("continues; one without events does not exist", async () => {
    const harness = openHarness();
    harness.another("owner-dead", { ship: [never] }).manager.start("parcel-1", accepted, context);
    await settle();
    harness.diary.length = 0;
    await harness.manager.takeUp("parcel-2");
    expect(harness.store.typesOf("parcel-2")).toEqual([]);
    await Promise.all([harness.manager.takeUp("parcel-1"), harness.manager.takeUp("parcel-1")]);
    await settle();
    expect(harness.diary).toEqual(["stored ParcelTakenOver", "ship", "stored ParcelShipped"]);
  });
});
