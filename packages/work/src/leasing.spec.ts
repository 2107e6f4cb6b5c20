import { createLocalLeases, type LeaseRoom, type LocalLeases } from "./leases/index.ts";
import { expect, it } from "vitest";

import type { ParcelInput, ParcelState } from "./parcel.fixture.ts";
import {
  accepted,
  context,
  pass,
  settle,
  openHarness,
  type Script,
  type Harness,
} from "./harness.fixture.ts";

interface TwoProcesses {
  readonly first: Harness;
  readonly second: Harness;
  readonly firstLeases: LocalLeases;
  readonly secondLeases: LocalLeases;
}

/** Two processes over one store, of which one drives each run. */
function twoProcesses(script: Script, secondScript: Script = {}): TwoProcesses {
  const room: LeaseRoom = new Map();
  const [firstLeases, secondLeases] = [createLocalLeases({ room }), createLocalLeases({ room })];
  const first = openHarness(script, { leases: firstLeases });
  return {
    first,
    second: first.another("owner-2", secondScript, { leases: secondLeases }),
    firstLeases,
    secondLeases,
  };
}

const ending = ({ status }: ParcelState): string | undefined => (status === "shipped" ? status : undefined);
const shipments = ({ diary }: Harness): number => diary.filter((line) => line === "ship").length;

it("drives a run that both begin in one of them, and answers both", async () => {
  const { first, second } = twoProcesses({});

  first.manager.start("run-1", accepted, context);
  second.manager.start("run-1", accepted, context);
  const answers = Promise.all([first.manager.until("run-1", ending), second.manager.until("run-1", ending)]);
  await pass(2_000);

  expect(await answers).toEqual(["shipped", "shipped"]);
  expect(first.diary.filter((line) => line === "pack")).toHaveLength(1);
  expect(shipments(first)).toBe(1);
});

it("follows a run of another process until its answer is stored", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const { first, second } = twoProcesses({ ship: [() => carrier.promise] });
  first.manager.start("run-1", accepted, context);
  await settle();

  const answer = second.manager.recall("run-1", ending);
  await pass(5_000);
  expect(shipments(first)).toBe(1);
  carrier.resolve({ type: "shipped" });
  await pass(1_000);

  expect(await answer).toBe("shipped");
  expect(shipments(first)).toBe(1);
});

it("takes over a followed run if the other process loses its leases; that process's late append changes nothing", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const { first, second, firstLeases } = twoProcesses({ ship: [() => carrier.promise] });
  first.manager.start("run-1", accepted, context);
  const firstAnswer = first.manager.until("run-1", ending);
  await settle();
  const answer = second.manager.recall("run-1", ending);
  await pass(500);

  firstLeases.lose();
  await pass(2_000);
  expect(await answer).toBe("shipped");
  carrier.resolve({ type: "lost" });
  await pass(2_000);

  expect(await firstAnswer).toBe("shipped");
  expect(first.store.typesOf("run-1")).toEqual([
    "ParcelAccepted",
    "ParcelPacked",
    "ParcelTakenOver",
    "ParcelShipped",
  ]);
});

it("does no further step once its lease is lost", async () => {
  const packing = Promise.withResolvers<ParcelInput>();
  const { first, firstLeases, secondLeases } = twoProcesses({ pack: [() => packing.promise] });
  first.manager.start("run-1", accepted, context);
  await settle();

  firstLeases.lose();
  await secondLeases.tryAcquire("run-1");
  packing.resolve({ type: "packed" });
  await pass(1_000);

  expect(shipments(first)).toBe(0);
  expect(first.manager.isActive("run-1")).toBe(false);
});

it("ends a timed wait when its lease is lost, so that one process offers the parcel", async () => {
  const until = new Date(Date.UTC(2026, 2, 1, 10, 1)).toISOString();
  const { first, second, firstLeases } = twoProcesses({ ship: [{ type: "delayed", until }, "shipped"] });
  first.manager.start("run-1", accepted, context);
  await settle();

  firstLeases.lose();
  await settle();
  expect(first.manager.isActive("run-1")).toBe(false);
  await second.manager.takeUp("run-1");
  await pass(120_000);

  expect(shipments(first)).toBe(2);
});

it("leaves a run alone that another process drives", async () => {
  const { first, second } = twoProcesses({ ship: [() => new Promise<never>(() => undefined)] });
  first.manager.start("run-1", accepted, context);
  await settle();

  await second.manager.takeUp("run-1");
  expect(second.manager.isActive("run-1")).toBe(false);
  expect(await second.manager.interrupt("run-1", { type: "retried" })).toBe(false);
});

it("accepts a staff decision about a suspended run in either process, and releases the lease when the run rests", async () => {
  const { first, second, secondLeases } = twoProcesses({ ship: [new Error("no carrier")] });
  first.manager.start("run-1", accepted, context);
  await settle();
  expect(first.store.typesOf("run-1").at(-1)).toBe("ParcelParked");

  expect(await second.manager.interrupt("run-1", { type: "retried" })).toBe(true);
  await settle();

  expect(first.store.typesOf("run-1").at(-1)).toBe("ParcelShipped");
  expect(await secondLeases.tryAcquire("run-1")).toBeDefined();
});

it("releases its leases when it stops", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const { first, second } = twoProcesses({ ship: [() => carrier.promise] });
  first.manager.start("run-1", accepted, context);
  await settle();

  const stopped = first.manager.stop();
  carrier.resolve({ type: "delayed" });
  await stopped;
  await second.manager.takeUp("run-1");
  await settle();

  expect(first.store.typesOf("run-1").at(-1)).toBe("ParcelShipped");
});

it("has no room for another run without free leases, and drives promised runs", async () => {
  const leases = createLocalLeases({ heldLimit: 10 });
  const { manager } = openHarness({}, { leases });
  for (let number = 1; number <= 9; number += 1) await leases.tryAcquire(`name-${String(number)}`);

  expect(manager.hasRoom).toBe(false);
  manager.start("run-1", accepted, context);
  const answer = manager.until("run-1", ending);
  await pass(2_000);

  expect(await answer).toBe("shipped");
});
