import { expect, it } from "vitest";

import { accepted, context, openHarness, pass, settle, type Script } from "./harness.fixture.ts";
import type { ParcelInput } from "./parcel.fixture.ts";
import { unavailable } from "./scripted-store.fixture.ts";

const openFirst = (script: Script = {}) => openHarness(script, { isFirst: true });

it("is stored with its answer", async () => {
  const { manager, diary } = openFirst();
  manager.start("parcel-1", accepted, context);
  await settle();
  expect(diary).toEqual(["pack", "ship", "stored ParcelAccepted ParcelPacked ParcelShipped"]);
});

it("is stored before a later compensation", async () => {
  const { manager, diary } = openFirst({ ship: ["lost"] });
  manager.start("parcel-1", accepted, context);
  await settle();
  expect(diary).toEqual([
    "pack",
    "ship",
    "stored ParcelAccepted ParcelPacked ParcelLost",
    "refund",
    "stored ParcelRefunded",
  ]);
});

it("is the run's only one: a second call is stored before it", async () => {
  const { manager, diary } = openFirst({
    ship: [{ type: "delayed", until: "2026-03-01T10:00:05.000Z" }, "shipped"],
  });
  manager.start("parcel-1", accepted, context);
  await pass(5_000);
  expect(diary).toEqual([
    "pack",
    "ship",
    "stored ParcelAccepted ParcelPacked ParcelDelayed",
    "ship",
    "stored ParcelShipped",
  ]);
});

it("is stored before its answer if the answer takes longer than a second", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const { manager, diary } = openFirst({ ship: [() => carrier.promise] });
  manager.start("parcel-1", accepted, context);
  await pass(999);
  expect(diary).toEqual(["pack", "ship"]);
  await pass(1);
  expect(diary).toEqual(["pack", "ship", "stored ParcelAccepted ParcelPacked"]);
  carrier.resolve({ type: "shipped" });
  await settle();
  expect(diary.slice(3)).toEqual(["stored ParcelShipped"]);
});

it("is answered while it is being stored", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const { manager, diary, store } = openFirst({ ship: [() => carrier.promise] });
  store.plan(unavailable({ stored: false }));
  manager.start("parcel-1", accepted, context);
  await pass(1_000);
  carrier.resolve({ type: "shipped" });
  await settle();
  expect(diary).toEqual(["pack", "ship"]);
  await pass(40);
  expect(diary.slice(2)).toEqual(["stored ParcelAccepted ParcelPacked", "stored ParcelShipped"]);
});

it("leaves nothing if its process dies, and leaves another process's events unchanged", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const one = openFirst({ ship: [() => carrier.promise] });
  one.manager.start("parcel-1", accepted, context);
  await settle();
  expect(one.store.typesOf("parcel-1")).toEqual([]);
  const two = one.another("owner-2", { ship: ["lost"] });
  two.manager.start("parcel-1", accepted, context);
  await settle();
  const stored = two.store.typesOf("parcel-1");
  carrier.resolve({ type: "shipped" });
  await settle();
  expect(one.log).toEqual(["another process drives the run"]);
  expect(one.store.typesOf("parcel-1")).toEqual(stored);
});

it("is stored by a manager that stops", async () => {
  const carrier = Promise.withResolvers<ParcelInput>();
  const { manager, diary } = openFirst({ ship: [() => carrier.promise] });
  manager.start("parcel-1", accepted, context);
  await settle();
  const stopped = manager.stop();
  carrier.resolve({ type: "shipped" });
  await stopped;
  expect(diary).toEqual(["pack", "ship", "stored ParcelAccepted ParcelPacked ParcelShipped"]);
});

it("that throws is a run for staff", async () => {
  const { manager, diary } = openFirst({ ship: [new Error("a bug")] });
  manager.start("parcel-1", accepted, context);
  await settle();
  expect(diary).toEqual(["pack", "ship", "stored ParcelAccepted ParcelPacked ParcelParked"]);
});
