import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { encodeFrame, FrameError, FrameReader, longestFrameBytes } from "./frames.ts";

const header = (length: number): Uint8Array => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
};

describe("EPP's framing", () => {
  it("writes the length of a frame in four bytes, which include themselves", () => {
    expect(Buffer.from(encodeFrame("<ä/>")).toString("hex")).toBe("00000009" + "3cc3a42f3e");
  });

  it("puts frames together however their bytes come", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (frames, size) => {
        const bytes = Buffer.concat(frames.map(encodeFrame));
        const reader = new FrameReader();
        const read: string[] = [];
        for (let at = 0; at < bytes.length; at += size)
          read.push(...reader.push(bytes.subarray(at, at + size)));
        expect(read).toEqual(frames);
        expect(reader.isHalf).toBe(false);
      }),
    );
  });

  it("waits for the rest of half a frame", () => {
    const reader = new FrameReader();
    expect(reader.push(encodeFrame("<epp/>").subarray(0, 7))).toEqual([]);
    expect(reader.isHalf).toBe(true);
  });

  it.each([
    ["4 GB by its header", 0xff_ff_ff_ff, "too long"],
    ["a byte more than the longest", longestFrameBytes + 1, "too long"],
    ["nothing but its header", 4, "has no content"],
    ["less than its header", 0, "has no content"],
  ])("refuses a frame of %s as soon as its header is read", (_, length, why) => {
    expect(() => new FrameReader().push(header(length))).toThrow(why);
    expect(() => new FrameReader().push(header(length))).toThrow(FrameError);
  });

  it("accepts a frame of the maximum length, and none above", () => {
    expect(new FrameReader(10).push(encodeFrame("<abc/>"))).toEqual(["<abc/>"]);
    expect(() => new FrameReader(10).push(encodeFrame("<abcd/>"))).toThrow(
      "A frame of 11 bytes is too long: 10",
    );
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(() => new FrameReader().push(Buffer.concat([header(6), Buffer.from([0xc3, 0x28])]))).toThrow(
      "UTF-8",
    );
  });

  it("writes no frame above the reader's limit", () => {
    expect(() => encodeFrame("x".repeat(longestFrameBytes))).toThrow(FrameError);
  });
});
