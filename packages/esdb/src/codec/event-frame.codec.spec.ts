import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordedEvent } from "@hostledger/store";

import { encodeEventFrame } from "./event-frame.codec.ts";
import { frameOf } from "./grpc-framing.ts";
import { encodeStreamEvent } from "./read-answer.codec.ts";
import { toStoredText } from "./wire-values.codec.ts";

const number = fc.oneof(fc.bigInt(0n, 300n), fc.bigInt(0n, 2n ** 63n - 1n));
const bytes = fc.uint8Array({ maxLength: 300 });
const storedText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc
    .tuple(bytes, fc.constantFrom("application/json", "application/octet-stream"))
    .map((it) => toStoredText(...it)),
);
const event: fc.Arbitrary<RecordedEvent> = fc.record({
  stream: fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
  revision: number,
  position: number,
  id: fc.uuid(),
  type: fc.oneof(
    fc.constant("$streamDeleted"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
  ),
  time: fc.constantFrom("2026-01-02T03:04:05.678901Z", "1999-12-31T23:59:59.000009Z"),
  data: storedText,
  metadata: storedText,
});

describe("the frame of an event", () => {
  it("equals the generated classes' bytes", () => {
    fc.assert(
      fc.property(event, (recorded) => {
        const generated = encodeStreamEvent({ event: recorded, link: undefined }, false).serializeBinary();
        expect(encodeEventFrame(recorded).equals(frameOf(generated))).toBe(true);
      }),
    );
  });

  it("holds a mebibyte of data", () => {
    const large: RecordedEvent = {
      stream: "order-1",
      revision: 7n,
      position: 9n,
      id: "11111111-1111-4111-8111-111111111111",
      type: "Large",
      time: "2026-01-02T03:04:05.678901Z",
      data: `"${"é".repeat(524_280)}"`,
      metadata: "{}",
    };
    const generated = encodeStreamEvent({ event: large, link: undefined }, false).serializeBinary();
    expect(encodeEventFrame(large).equals(frameOf(generated))).toBe(true);
  });
});
