import { mendingCodec, UnreadableEventError } from "@hostledger/core";
import type { EventToAppend } from "@hostledger/store";
import { describe, expect, it } from "vitest";

import {
  accepted,
  context,
  openHarness,
  openManager,
  pass,
  settle,
  type Harness,
} from "./harness.fixture.ts";
import { parcelDefinition, type ParcelInput } from "./parcel.fixture.ts";

const never = (): Promise<never> => new Promise(() => undefined);

function stored(type: string, data: object, metadata: object): EventToAppend {
  const id = crypto.randomUUID();
  return { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
}

const note = (): EventToAppend => stored("CrmNoteTaken", { note: "likes tea" }, {});
const own = { correlationId: "c", actor: "staff", recordedBy: "spec", commandId: "c" };

/** Appends a foreign event to a run's stream. */
async function write({ store }: Harness, stream: string, event: EventToAppend): Promise<void> {
  await store.append(stream, store.eventsOf(stream).at(-1)?.revision ?? "no-stream", [event]);
}

/** Simulates a run whose owner died before the carrier answered. */
async function cutOff(harness: Harness, run = "parcel-1"): Promise<void> {
  harness.another(`owner-of-${run}`, { ship: [never] }).manager.start(run, accepted, context);
  await settle();
}

/** The runs with these rows, which a round takes over. */
function managerOf({ store }: Harness, rows: readonly string[], log: string[] = []) {
  const answer = (type: ParcelInput["type"]) => () => Promise.resolve({ type });
  return openManager({
    store,
    definition: parcelDefinition({
      pack: answer("packed"),
      ship: answer("shipped"),
      refund: answer("refunded"),
    }),
    owner: "owner-2",
    logger: {
      error: (_fields: object, message: string) => log.push(message),
      info: () => undefined,
    },
    rows,
  });
}

describe("a run with a foreign event in its stream", () => {
  it("begins if the event is the first, and continues if the event comes later", async () => {
    const harness = openHarness({
      pack: [
        async () => {
          await write(harness, "parcel-1", note());
          return { type: "packed" };
        },
      ],
    });
    await write(harness, "parcel-1", note());
    harness.manager.start("parcel-1", accepted, context);
    await settle();
    expect(harness.store.typesOf("parcel-1").filter((type) => type !== "CrmNoteTaken")).toEqual([
      "ParcelAccepted",
      "ParcelPacked",
      "ParcelShipped",
    ]);
    expect(harness.log).toEqual([]);
  });

  it("stays separate from other runs: it begins with the caller's input", async () => {
    const harness = openHarness();
    await write(harness, "parcel-1", note());
    harness.manager.start("parcel-1", accepted, context);
    await settle();
    expect(harness.store.typesOf("parcel-1")).toEqual([
      "CrmNoteTaken",
      "ParcelAccepted",
      "ParcelPacked",
      "ParcelShipped",
    ]);
  });

  it("is taken over after its owner's death", async () => {
    const harness = openHarness();
    await cutOff(harness);
    await write(harness, "parcel-1", note());
    await harness.manager.takeUp("parcel-1");
    await settle();
    expect(harness.store.typesOf("parcel-1").at(-1)).toBe("ParcelShipped");
  });
});

describe("a run with an event that cannot be read", () => {
  it("does not prevent the take-over of other runs, and continues after staff mended the event", async () => {
    const harness = openHarness();
    for (const run of ["parcel-1", "parcel-2"]) await cutOff(harness, run);
    const damaged = { ...stored("ParcelShipped.v1", {}, {}) };
    await write(harness, "parcel-1", damaged);
    const log: string[] = [];
    const manager = managerOf(harness, ["parcel-1", "parcel-2"], log);
    const stop = new AbortController();
    const running = manager.engine.runInEveryProcess(stop.signal);
    await settle();
    expect(harness.store.typesOf("parcel-2").at(-1)).toBe("ParcelShipped");
    expect(log).toEqual(["a run is held up by an event that cannot be read"]);
    await expect(manager.recall("parcel-1", () => undefined)).rejects.toThrow(UnreadableEventError);

    const data = {
      stream: "parcel-1",
      revision: 3,
      eventId: damaged.id,
      eventType: damaged.type,
      reason: "A script.",
      mendedAt: "2026-03-01T10:00:00.000000Z",
    };
    await write(harness, "mending-parcel-1", stored(mendingCodec.storedType("StreamMended"), data, own));
    await pass(10_000);
    stop.abort();
    await pass(10_000);
    await running;
    expect(harness.store.typesOf("parcel-1").at(-1)).toBe("ParcelShipped");
    expect(harness.store.eventsOf("parcel-1").length).toBeGreaterThan(4);
  });

  it("on the stream of a step's resource makes the run wait, without a time limit and without staff", async () => {
    const place = { stream: "account-7", revision: 3n, position: 9n, id: "e-1", type: "BalancePledged.v1" };
    let isUpgraded = false;
    const harness = openHarness({
      pack: [
        () =>
          isUpgraded
            ? Promise.resolve({ type: "packed" })
            : Promise.reject(new UnreadableEventError(place, "newer", "no such event")),
      ],
    });
    harness.manager.start("parcel-1", accepted, context);
    await pass(3_600_000);
    expect(harness.store.typesOf("parcel-1")).not.toContain("ParcelParked");
    isUpgraded = true;
    await pass(10_000);
    expect(harness.store.typesOf("parcel-1").at(-1)).toBe("ParcelShipped");
  });
});
