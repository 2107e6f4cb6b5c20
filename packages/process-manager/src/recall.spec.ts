import { describe, expect, it } from "vitest";

import type { ParcelState } from "./parcel.fixture.ts";
import { RunOutOfSightError } from "./managed-process.ts";
import { accepted, context, settle, workbench } from "./workbench.fixture.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const ending = ({ status }: ParcelState): string | undefined =>
  status === "shipped" || status === "refunded" ? status : undefined;

describe("a run that is recalled", () => {
  it("and was never begun is not there, and nothing is begun", async () => {
    const { manager, diary } = workbench();
    expect(await manager.recall("parcel-1", ending)).toBeUndefined();
    await settle();
    expect(diary).toEqual([]);
  });

  it("and has ended gives its answer again, and does nothing", async () => {
    const { manager, diary, another } = workbench();
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
    const { manager, diary } = workbench({ ship: [() => order.promise] });
    manager.start("parcel-1", accepted, context);
    const answers = [manager.recall("parcel-1", ending), manager.recall("parcel-1", ending)];
    await settle();
    order.resolve({ type: "shipped" });
    expect(await Promise.all(answers)).toEqual(["shipped", "shipped"]);
    expect(diary.filter((line) => line === "ship")).toHaveLength(1);
  });

  it("and was cut off goes on, once, for all who ask at the same time", async () => {
    const bench = workbench();
    bench.another("owner-dead", { ship: [never] }).manager.start("parcel-1", accepted, context);
    await settle();
    bench.diary.length = 0;
    const answers = [1, 2, 3].map(() => bench.manager.recall("parcel-1", ending));
    await settle();
    expect(await Promise.all(answers)).toEqual(["shipped", "shipped", "shipped"]);
    expect(bench.diary).toEqual(["stored ParcelTakenOver", "ship", "stored ParcelShipped"]);
  });

  it("and waits for staff has no answer, and is left as it is", async () => {
    const bench = workbench({ ship: [new Error("broken")] });
    bench.manager.start("parcel-1", accepted, context);
    await settle();
    bench.diary.length = 0;
    await expect(bench.manager.recall("parcel-1", ending)).rejects.toThrow(RunOutOfSightError);
    await settle();
    expect(bench.diary).toEqual([]);
  });

  it("is not taken up where there is no room", async () => {
    const bench = workbench({ ship: [never] }, { activeLimit: 1 });
    bench.another("owner-dead").manager.start("parcel-1", accepted, context);
    await settle();
    bench.manager.start("parcel-2", accepted, context);
    await settle();
    await expect(bench.manager.recall("parcel-1", ending)).rejects.toThrow(RunOutOfSightError);
    expect(bench.manager.isActive("parcel-1")).toBe(false);
  });
});

describe("a run that is taken up", () => {
  it("goes on; one without facts is not there", async () => {
    const bench = workbench();
    bench.another("owner-dead", { ship: [never] }).manager.start("parcel-1", accepted, context);
    await settle();
    bench.diary.length = 0;
    expect(await bench.manager.takeUp("parcel-2")).toBe(false);
    expect(await Promise.all([bench.manager.takeUp("parcel-1"), bench.manager.takeUp("parcel-1")])).toEqual([
      true,
      true,
    ]);
    await settle();
    expect(bench.diary).toEqual(["stored ParcelTakenOver", "ship", "stored ParcelShipped"]);
  });
});
