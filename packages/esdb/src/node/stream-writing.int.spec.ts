import { randomUUID } from "node:crypto";
import { join } from "node:path";

import type { EventToAppend } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { tombstoneType } from "../codec/wire-values.codec.ts";
import { StreamEventsReader, type ReadableStore } from "./stream-events.ts";
import { StreamWriting } from "./stream-writing.ts";

const event = (type = "Said"): EventToAppend => ({ id: randomUUID(), type, data: "{}", metadata: "" });

/** Writes streams of which those of the category `kept` lose nothing, and notes which are read. */
async function open() {
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"));
  onTestFinished(() => store.close());
  const read: string[] = [];
  const readable: ReadableStore = {
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    read(stream, options) {
      read.push(stream);
      return store.read(stream, options);
    },
    targetOf: () => undefined,
  };
  return { store, read, writing: new StreamWriting(store, new StreamEventsReader(readable), ["kept"]) };
}

it("a new stream that loses nothing is not read to be written, nor is it afterwards", async () => {
  const { read, writing } = await open();
  await writing.append("kept-1", "no-stream", [event()]);
  expect(read).toEqual(["$$kept-1"]);
  await writing.append("kept-1", 0n, [event()]);
  expect(read).toEqual(["$$kept-1"]);
});

it("any other stream may have ended, and is read", async () => {
  const { read, writing } = await open();
  await writing.append("other-1", "no-stream", [event()]);
  expect(read.toSorted()).toEqual(["$$other-1", "other-1"]);
});

it("a stream that ended first stays ended", async () => {
  const { store, writing } = await open();
  await store.append("kept-1", "no-stream", [event(tombstoneType)]);
  const deleted = { message: "Event stream 'kept-1' is deleted." };
  await expect(writing.append("kept-1", "no-stream", [event()])).rejects.toMatchObject(deleted);
  await expect(writing.append("kept-1", 0n, [event()])).rejects.toMatchObject(deleted);
});

it("a stream with events is refused in the protocol's terms", async () => {
  const { store, writing } = await open();
  await store.append("kept-1", "no-stream", [event()]);
  await expect(writing.append("kept-1", "no-stream", [event()])).rejects.toMatchObject({
    kind: "wrong-expected-version",
  });
  await writing.append("kept-1", 0n, [event()]);
});
