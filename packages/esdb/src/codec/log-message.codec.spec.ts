import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeLogMessage } from "./log-message.codec.ts";
import { shared, streams } from "./protocol.ts";
import { encodeStreamName, encodeUuid, timeOfTicks } from "./wire-values.codec.ts";

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const text = fc.string({ unit: "grapheme", maxLength: 300 });
const event = fc.record({
  stream: fc.string({ minLength: 1 }),
  type: fc.string({ minLength: 1 }),
  revision: u64,
  position: u64,
  id: fc.uuid(),
  data: text,
  metadata: text,
  created: fc.bigInt({ min: 0n, max: 2n ** 60n }),
});
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** An event as the generated classes write it. */
function encoded(what: Event): Buffer {
  const message = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(encodeUuid(what.id))
    .setStreamIdentifier(encodeStreamName(what.stream))
    .setStreamRevision(String(what.revision))
    .setCommitPosition(String(what.position))
    .setPreparePosition(String(what.position))
    .setData(Buffer.from(what.data))
    .setCustomMetadata(Buffer.from(what.metadata));
  const map = message.getMetadataMap();
  map.set("content-type", "application/json").set("type", what.type).set("created", String(what.created));
  const read = new streams.ReadResp.ReadEvent().setEvent(message).setCommitPosition(String(what.position));
  return Buffer.from(new streams.ReadResp().setEvent(read).serializeBinary());
}

describe("decodeLogMessage", () => {
  it("reads every event as the generated classes write it", () => {
    fc.assert(
      fc.property(event, (what) => {
        const { stream, type, revision, position, id, data, metadata, created } = what;
        const time = timeOfTicks(String(created));
        expect(decodeLogMessage(encoded(what))).toEqual({
          kind: "event",
          event: { stream, type, revision, position, id, data, metadata, time },
        });
      }),
    );
  });

  it("does not accept a truncated message", () => {
    fc.assert(
      fc.property(event, fc.nat(), (what, cut) => {
        const whole = encoded(what);
        const part = whole.subarray(0, 1 + (cut % (whole.length - 1)));
        expect(() => decodeLogMessage(part)).toThrow();
      }),
    );
  });

  it.each([
    [
      "checkpoint",
      new streams.ReadResp().setCheckpoint(new streams.ReadResp.Checkpoint().setCommitPosition("7")),
    ],
    ["caught-up", new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())],
    ["fell-behind", new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind())],
    ["missing-stream", new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound())],
    ["other", new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation())],
    ["other", new streams.ReadResp().setFirstStreamPosition("1")],
    [
      "other",
      new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setNoPosition(new shared.Empty())),
    ],
    ["other", new streams.ReadResp()],
  ])("reads %s", (kind, message) => {
    const decoded = decodeLogMessage(Buffer.from(message.serializeBinary()));
    expect(decoded).toEqual(kind === "checkpoint" ? { kind, position: 7n } : { kind });
  });
});
