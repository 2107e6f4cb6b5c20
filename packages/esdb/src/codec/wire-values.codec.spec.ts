import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { shared } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import {
  decodeStreamName,
  decodeUuid,
  encodeStreamName,
  encodeUuid,
  required,
  ticksOfTime,
  timeOfTicks,
  uuidOfBits,
} from "./wire-values.codec.ts";

describe("texts of numbers", () => {
  it.each([
    ["0", "1970-01-01T00:00:00.000000Z"],
    ["9", "1970-01-01T00:00:00.000000Z"],
    ["17640000001234567", "2025-11-24T16:00:00.123456Z"],
    ["17641234567890120", "2025-11-26T02:17:36.789012Z"],
  ])("%s ticks are %s", (ticks, time) => {
    expect(timeOfTicks(ticks)).toBe(time);
  });

  it("preserves the leading zeros and the signs of a UUID's halves", () => {
    expect(uuidOfBits(1n, -1n)).toBe("00000000-0000-0001-ffff-ffffffffffff");
  });
});

describe("what both ends write and read", () => {
  it("is the same id in either form, and no id is an empty text", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), (id, structured) => {
        expect(decodeUuid(encodeUuid(id, structured))).toBe(id);
      }),
    );
    expect(decodeUuid(undefined)).toBe("");
  });

  it("is the same time to the microsecond", () => {
    for (const time of ["2026-01-02T03:04:05.678901Z", "1999-12-31T23:59:59.000009Z"]) {
      expect(timeOfTicks(ticksOfTime(time))).toBe(time);
    }
  });

  it("is the same stream name of up to 500 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }), (name) => {
        expect(decodeStreamName(encodeStreamName(name))).toBe(name);
      }),
    );
    expect(decodeStreamName(encodeStreamName("é".repeat(500)))).toHaveLength(500);
  });
});

describe("what is refused", () => {
  it.each([
    ["a stream has a name", () => decodeStreamName(new shared.StreamIdentifier())],
    ["at most 500 characters", () => decodeStreamName(encodeStreamName("x".repeat(501)))],
    ["lacks its stream name", () => decodeStreamName(undefined)],
    ["lacks its options", () => required(undefined, "options")],
  ])("%s", (sentence, decode) => {
    expect(decode).toThrow(Refusal);
    expect(decode).toThrow(sentence);
  });
});
