import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FrameSplitter, frameOf } from "./grpc-framing.ts";

describe("messages on the wire", () => {
  it("come back whole, however the bytes are cut", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1 });
    fc.assert(
      fc.property(messages, cuts, (sent, sizes) => {
        const wire = Buffer.concat(sent.map((message) => frameOf(message)));
        const splitter = new FrameSplitter(40);
        const got: Buffer[] = [];
        for (let at = 0, turn = 0; at < wire.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          got.push(...splitter.take(wire.subarray(at, at + size)));
          at += size;
        }
        expect(got.map((message) => [...message])).toEqual(sent.map((message) => [...message]));
        expect(splitter.isEmpty).toBe(true);
      }),
    );
  });

  it("are not complete while a byte is missing", () => {
    const splitter = new FrameSplitter(40);
    expect(splitter.take(frameOf(Buffer.from("order")).subarray(0, -1))).toEqual([]);
    expect(splitter.isEmpty).toBe(false);
  });

  it("are refused when too large, before they are here, and when compressed", () => {
    const large = frameOf(Buffer.alloc(41)).subarray(0, 5);
    expect(() => new FrameSplitter(40).take(large)).toThrow("at most 40 bytes");
    expect(() => new FrameSplitter(40).take(Buffer.from([1, 0, 0, 0, 0]))).toThrow("compressed");
  });
});
