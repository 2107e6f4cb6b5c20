import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";

import { decodeBatchAnswer, encodeBatchAnswer } from "./append-answer.codec.ts";
import { streams } from "./protocol.ts";
import { encodeTrailers, exceptionOf, trailer } from "./refusal.codec.ts";
import { accessDenied, appendTooLarge, Refusal, streamDeleted, wrongExpectedVersion } from "./refusal.ts";
import { encodeUuid } from "./wire-values.codec.ts";

const id = "00000000-0000-4000-8000-000000000001";

/** Returns the client's interpretation of a node's answer. */
function received(outcome: Parameters<typeof encodeBatchAnswer>[2]) {
  const answer = encodeBatchAnswer(encodeUuid(id), undefined, outcome);
  return decodeBatchAnswer(streams.BatchAppendResp.deserializeBinary(answer.serializeBinary()));
}

const refusals: readonly Refusal[] = [
  wrongExpectedVersion("order-1", 3n, 7n),
  wrongExpectedVersion("order-1", "any", "no-stream"),
  wrongExpectedVersion("order-1", "no-stream", 0n),
  wrongExpectedVersion("order-1", "stream-exists", "no-stream"),
  streamDeleted("order-1"),
  accessDenied(),
  appendTooLarge(1_048_576),
  new Refusal(status.DEADLINE_EXCEEDED, "not in time", "timeout"),
  new Refusal(status.UNAVAILABLE, "Server Is Too Busy"),
];

describe("the answer to an append", () => {
  it("is read back as written", () => {
    const result = { revision: 2n ** 63n - 1n, position: 9n };
    expect(received(result)).toEqual([id, result]);
  });

  it.each(refusals)("$kind: $message", (refusal) => {
    const [whose, answer] = received(refusal);
    expect(whose).toBe(id);
    expect(answer).toMatchObject({ code: refusal.code, kind: refusal.kind, message: refusal.message });
    const reported = answer instanceof Refusal ? answer.fields : undefined;
    for (const name of ["actual-version", "maximum-append-size"])
      expect(reported?.[name]).toBe(refusal.fields[name]);
  });

  it("without either is a refusal by its type", () => {
    const refusal = new Refusal(status.UNKNOWN, "");
    expect(received(refusal)[1]).toMatchObject({ message: "google.protobuf.Empty", kind: undefined });
    expect(decodeBatchAnswer(new streams.BatchAppendResp())[1]).toBeInstanceOf(Refusal);
  });
});

describe("the trailers of a call", () => {
  it.each(refusals)("contain $kind: $message", (refusal) => {
    const ended = encodeTrailers(refusal);
    expect(ended).toMatchObject({ code: refusal.code, details: refusal.message });
    expect(exceptionOf(ended)).toBe(refusal.kind === "timeout" ? undefined : refusal.kind);
    expect(exceptionOf(refusal)).toBe(refusal.kind);
    for (const [name, value] of Object.entries(refusal.fields)) expect(trailer(ended, name)).toBe(value);
  });

  it("hold nothing that a header may not hold", () => {
    expect(trailer(encodeTrailers(streamDeleted("bestellung-ä")), "stream-name")).toBe("bestellung-%C3%A4");
  });

  it.each([undefined, "text", new Error("plain"), Object.assign(new Error(), { metadata: {} })])(
    "of anything else contain nothing: %s",
    (failure) => {
      expect(exceptionOf(failure)).toBeUndefined();
    },
  );
});
