import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { maximumBlockSize, sequence, type ReserveIdBlock } from "./sequence.decider.ts";
import type { SequenceEvent } from "./sequence.events.ts";

const spec = deciderSpec(sequence);
const reserve = (size: number): ReserveIdBlock => ({ type: "ReserveIdBlock", data: { size } });
const reserved = (first: number, last: number): SequenceEvent => ({
  type: "IdBlockReserved",
  data: { first, last },
});

describe("a sequence of ids", () => {
  it("begins at 1", () => {
    spec.given().when(reserve(100)).then(reserved(1, 100));
  });

  it("continues after the last block, for every size", () => {
    spec.given(reserved(1, 100), reserved(101, 101)).when(reserve(10)).then(reserved(102, 111));
  });

  it("returns blocks of one and of the maximum", () => {
    spec.given().when(reserve(1)).then(reserved(1, 1));
    spec.given().when(reserve(maximumBlockSize)).then(reserved(1, maximumBlockSize));
  });

  it("skips ids once, and never goes back", () => {
    spec
      .given(reserved(1, 100))
      .when({ type: "SkipIds", data: { last: 500 } })
      .then(reserved(101, 500));
    spec
      .given(reserved(1, 500))
      .when({ type: "SkipIds", data: { last: 500 } })
      .then();
    spec
      .given(reserved(1, 500))
      .when({ type: "SkipIds", data: { last: 3 } })
      .then();
  });

  it.each([0, -1, 0.5, Number.NaN, maximumBlockSize + 1])("returns no block of %s", (size) => {
    spec.given().when(reserve(size)).thenRejected("validation-failed");
  });

  it.each([
    { what: "a gap", blocks: [reserved(1, 10), reserved(12, 20)] },
    { what: "an overlap", blocks: [reserved(1, 10), reserved(10, 20)] },
    { what: "an empty block", blocks: [reserved(1, 0)] },
  ])("$what is a corrupt stream", ({ blocks }) => {
    expect(() => blocks.reduce(sequence.evolve, sequence.initialState)).toThrow(CorruptStreamError);
  });
});
