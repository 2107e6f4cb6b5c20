import { describe, expect, it } from "vitest";

import { parcelDefinition, type ParcelInput } from "./parcel.fixture.ts";
import { ScriptedStore } from "./scripted-store.fixture.ts";
import { accepted, context, openManager } from "./harness.fixture.ts";

/** Defines a parcel's process whose first command is packing; no other stream records the run's beginning. */
function beginningWithPacking(diary: string[]): ReturnType<typeof parcelDefinition> {
  const effect = (name: string, type: ParcelInput["type"]) => (): Promise<ParcelInput> => {
    diary.push(name);
    return Promise.resolve({ type });
  };
  const effects = {
    pack: effect("pack", "packed"),
    ship: effect("ship", "shipped"),
    refund: effect("refund", "refunded"),
  };
  const definition = parcelDefinition(effects);
  const next: (typeof definition)["next"] = (...state) => {
    const step = definition.next(...state);
    return step.kind === "send" ? { kind: "compensate", perform: () => step.perform() } : step;
  };
  return { ...definition, next };
}

describe("the first command of a run that only its own stream tells of", () => {
  it("is given after the run's events are stored", async () => {
    const diary: string[] = [];
    const manager = openManager({
      store: new ScriptedStore(diary),
      definition: beginningWithPacking(diary),
      owner: "owner-1",
      logger: { error: () => undefined, info: () => undefined },
    });
    manager.start("parcel-1", accepted, context);
    await manager.until("parcel-1", (state) => (state.status === "shipped" ? true : undefined));
    await manager.stop();
    expect(diary).toEqual([
      "stored ParcelAccepted",
      "pack",
      "stored ParcelPacked",
      "ship",
      "stored ParcelShipped",
    ]);
  });
});
