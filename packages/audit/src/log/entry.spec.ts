import fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";

import {
  bundledEntry,
  decodeEntry,
  encodeEntry,
  EntryError,
  formatEntryBundle,
  isDigestEntry,
  leafHash,
  maximumBundledBytes,
  parseEntryBundle,
  type LogEvent,
} from "./index.ts";

const event: LogEvent = {
  stream: "account-7",
  revision: 258n,
  id: "01234567-89ab-4cde-8f01-23456789abcd",
  type: "BalanceCharged.v1",
  time: "2026-11-21T11:03:26.123456Z",
  data: '{"grossCents":"1190","für":"ä€😀"}',
  metadata: '{"actor":"staff"}',
};
const ascii = (text: string): string => Buffer.from(text).toString("hex");
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

// Length of the full form without data, so that only the data varies.
const around = encodeEntry({ ...event, data: "" }).length;
const ofLength = (bytes: number): Uint8Array => encodeEntry({ ...event, data: "x".repeat(bytes - around) });

describe("encodeEntry", () => {
  it("writes the form of the README, byte by byte", () => {
    const expected = [
      "01",
      "0009",
      ascii("account-7"),
      "0000000000000102",
      "0123456789ab4cde8f0123456789abcd",
      "0011",
      ascii("BalanceCharged.v1"),
      ascii("2026-11-21T11:03:26.123456Z"),
      "00000028",
      ascii(event.data),
      "00000011",
      ascii(event.metadata),
    ];
    expect(Buffer.byteLength(event.data)).toBe(0x28);
    expect(hex(encodeEntry(event))).toBe(expected.join(""));
  });

  it("restores every encoded event, and different events have different entries", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    const events = fc.record({
      stream: text,
      revision: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      id: fc.uuid(),
      type: text,
      time: fc.constantFrom("2026-11-21T11:03:26.123456Z", "0001-01-01T00:00:00.000000Z"),
      data: text,
      metadata: text,
    });
    fc.assert(
      fc.property(events, events, (one, other) => {
        expect(decodeEntry(encodeEntry(one))).toEqual(one);
        const same = JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));
        expect(hex(encodeEntry(one)) === hex(encodeEntry(other))).toBe(same);
      }),
    );
  });

  it("changes with every field, also if text moves from one field to the next", () => {
    const changed: readonly LogEvent[] = [
      { ...event, stream: "account-8" },
      { ...event, revision: 259n },
      { ...event, id: event.id.replace("0", "1") },
      { ...event, type: "BalanceCharged.v2" },
      { ...event, time: "2026-11-21T11:03:26.123457Z" },
      { ...event, data: event.data.replace("1190", "1191") },
      { ...event, metadata: "{}" },
      { ...event, data: `${event.data}{`, metadata: event.metadata.slice(1) },
    ];
    const all = [event, ...changed].map((one) => hex(leafHash(encodeEntry(one))));
    expect(new Set(all).size).toBe(all.length);
  });

  it.each<[string, Partial<LogEvent>, string]>([
    ["an id in upper case", { id: event.id.toUpperCase() }, "not a UUID in lower case"],
    ["an id that is none", { id: "1" }, "not a UUID in lower case"],
    ["an id with a hyphen elsewhere", { id: event.id.replace("4567-", "456-7") }, "not a UUID in lower case"],
    ["an id with a letter beyond ASCII", { id: event.id.replace("a", "\u0161") }, "not a UUID in lower case"],
    ["an id with a character more", { id: `${event.id}0` }, "not a UUID in lower case"],
    ["a negative revision", { revision: -1n }, "impossible revision -1"],
    ["a revision beyond 64 bits", { revision: 2n ** 64n }, "impossible revision"],
    ["a time in milliseconds", { time: "2026-11-21T11:03:26.123Z" }, "has a malformed time"],
    ["a time of another zone", { time: "2026-11-21T11:03:26.123456+01:00" }, "has a malformed time"],
    ["half a character", { data: "\ud800" }, "lone surrogate"],
    ["half a character in the stream", { stream: "\udc00" }, "lone surrogate"],
    ["a stream of 65,536 bytes", { stream: "x".repeat(65_536) }, "more than 65,535 bytes"],
    ["a type of 65,536 bytes in 32,768 characters", { type: "ä".repeat(32_768) }, "more than 65,535 bytes"],
  ])("refuses %s", (_, change, sentence) => {
    expect(() => encodeEntry({ ...event, ...change })).toThrow(EntryError);
    expect(() => encodeEntry({ ...event, ...change })).toThrow(sentence);
  });

  it.each(["x", "ä", "€", "😀"])(
    "accepts data of any length in %s, also if it is just too long for the workspace",
    (unit) => {
      const shortest = Math.floor((65_536 - around) / (3 * unit.length)) - 3;
      for (let units = shortest; units < shortest + 6; units += 1) {
        const data = unit.repeat(units);
        const entry = encodeEntry({ ...event, data });
        expect(entry.length).toBe(around + Buffer.byteLength(data));
        expect(decodeEntry(entry)).toEqual({ ...event, data });
      }
    },
  );

  it("returns separate bytes for each entry", () => {
    const first = encodeEntry(event);
    const before = hex(first);
    encodeEntry({ ...event, stream: "server-8" });
    expect(hex(first)).toBe(before);
  });

  it("accepts a stream and a type of 65,535 bytes, and the largest revision", () => {
    const long = { ...event, stream: "s".repeat(65_535), type: "t".repeat(65_535), revision: 2n ** 64n - 1n };
    expect(decodeEntry(encodeEntry(long))).toEqual(long);
  });
});

const comparable = (one: LogEvent): object => ({ ...one, revision: String(one.revision) });

describe("decodeEntry", () => {
  it("refuses an entry that was cut anywhere, and one with a byte more", () => {
    const entry = encodeEntry(event);
    for (let length = 0; length < entry.length; length += 1)
      expect(() => decodeEntry(entry.subarray(0, length))).toThrow("ends in the middle of a field");
    expect(() => decodeEntry(Buffer.concat([entry, Buffer.of(0)]))).toThrow("bytes after its last field");
  });

  it("refuses another form, the digest form, text that is not UTF-8, and no time", () => {
    const entry = Buffer.from(encodeEntry(event));
    const changed = (at: number, byte: number): Buffer => {
      const copy = Buffer.from(entry);
      copy[at] = byte;
      return copy;
    };
    expect(() => decodeEntry(changed(0, 3))).toThrow("unknown form 3");
    expect(() => decodeEntry(changed(0, 2))).toThrow("is a digest");
    expect(() => decodeEntry(changed(3, 0xff))).toThrow("not UTF-8");
    expect(() => decodeEntry(changed(entry.indexOf("2026"), 0x20))).toThrow("time is malformed");
  });

  it("returns an event that encodes to the same bytes, or throws an EntryError", () => {
    const entry = encodeEntry(event);
    fc.assert(
      fc.property(fc.nat(entry.length - 1), fc.nat(255), (at, byte) => {
        const copy = Buffer.from(entry);
        copy[at] = byte;
        try {
          expect(hex(encodeEntry(decodeEntry(copy)))).toBe(hex(copy));
        } catch (error) {
          expect(error).toBeInstanceOf(EntryError);
        }
      }),
    );
  });

  it("preserves a byte order mark", () => {
    const marked = { ...event, data: "\ufeff{}" };
    expect(decodeEntry(encodeEntry(marked))).toEqual(marked);
  });
});

describe("bundledEntry", () => {
  it("leaves an entry of 65,535 bytes unchanged", () => {
    const entry = ofLength(maximumBundledBytes);
    expect(entry).toHaveLength(65_535);
    expect(bundledEntry(entry)).toBe(entry);
    expect(isDigestEntry(bundledEntry(entry))).toBe(false);
    expect(hex(leafHash(entry))).toBe(createHash("sha256").update("\0").update(entry).digest("hex"));
  });

  it("makes the digest form of one of 65,536 bytes", () => {
    const entry = ofLength(65_536);
    const digest = bundledEntry(entry);
    expect(hex(digest)).toBe(`02${createHash("sha256").update(entry).digest("hex")}00010000`);
    expect(isDigestEntry(digest)).toBe(true);
    expect(() => decodeEntry(digest)).toThrow("its full form is stored beside the log");
  });

  it("hashes an entry that is too long for a bundle", () => {
    const entry = ofLength(70_000);
    expect(hex(leafHash(entry))).toBe(createHash("sha256").update("\0").update(entry).digest("hex"));
    // Short entries share a buffer, which the long entry must not affect.
    expect(hex(leafHash(Buffer.of()))).toBe(createHash("sha256").update("\0").digest("hex"));
  });
});

describe("entry bundles", () => {
  it("return their entries, with any content", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 256 }), (entries) => {
        expect(parseEntryBundle(formatEntryBundle(entries)).map(hex)).toEqual(entries.map(hex));
      }),
    );
  });

  it("writes the length as two bytes, the larger one first", () => {
    expect(hex(formatEntryBundle([Buffer.from("ab"), new Uint8Array(258)])).slice(0, 12)).toBe(
      "000261620102",
    );
    expect(parseEntryBundle(new Uint8Array())).toEqual([]);
  });

  it("accepts entries up to 65,535 bytes", () => {
    const entry = ofLength(65_535);
    expect(parseEntryBundle(formatEntryBundle([entry])).map(hex)).toEqual([hex(entry)]);
    expect(() => formatEntryBundle([ofLength(65_536)])).toThrow("at most 65,535 bytes");
  });

  it("refuses a bundle that was cut, wherever it does not end an entry", () => {
    const entries = [Buffer.from("one"), Buffer.from(""), Buffer.from("three")];
    const bundle = formatEntryBundle(entries);
    const ends = new Map([
      [0, 0],
      [5, 1],
      [7, 2],
      [14, 3],
    ]);
    for (let length = 0; length <= bundle.length; length += 1) {
      const cut = bundle.subarray(0, length);
      const whole = ends.get(length);
      if (whole === undefined) expect(() => parseEntryBundle(cut)).toThrow(EntryError);
      else expect(parseEntryBundle(cut)).toHaveLength(whole);
    }
    expect(() => parseEntryBundle(bundle.subarray(0, 8))).toThrow("in the middle of its entry 2");
  });
});
