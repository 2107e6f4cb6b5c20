import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  decodeBatchTarget,
  decodeProposed,
  encodeBatchPart,
  encodeBatchTarget,
  type ProposedEvent,
} from "./append-request.codec.ts";
import { streams } from "./protocol.ts";
import { decodeRead, encodeRead, type ReadRequest } from "./read-request.codec.ts";
import { Refusal } from "./refusal.ts";

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 });
const place = fc.bigInt(0n, 2n ** 63n - 1n);

const filter = fc.record({
  on: fc.constantFrom("stream", "type"),
  by: fc.oneof(
    fc.record({ regex: name, prefixes: fc.constant<string[]>([]) }),
    fc.record({ regex: fc.constant(""), prefixes: fc.array(name, { minLength: 1 }) }),
  ),
  checkpointInterval: fc.integer({ min: 1, max: 10_000 }),
});
const read: fc.Arbitrary<ReadRequest> = fc.record({
  stream: fc.option(name, { nil: undefined }),
  from: fc.oneof(fc.constantFrom("start", "end"), place),
  backwards: fc.boolean(),
  resolveLinks: fc.boolean(),
  structuredIds: fc.boolean(),
  limit: fc.option(fc.nat(), { nil: undefined }),
  filter: fc.option(
    filter.map(({ by, ...rest }) => ({ ...rest, ...by })),
    { nil: undefined },
  ),
});
const proposed: fc.Arbitrary<ProposedEvent> = fc.record({
  id: fc.uuid(),
  type: name,
  contentType: fc.constantFrom("application/json", "application/octet-stream"),
  data: fc.uint8Array(),
  metadata: fc.uint8Array(),
});

describe("a request of the client", () => {
  it("to read is decoded by the node", () => {
    fc.assert(
      fc.property(read, (request) => {
        const sent = streams.ReadReq.deserializeBinary(encodeRead(request).serializeBinary());
        expect(decodeRead(sent)).toEqual(request);
      }),
    );
  });

  it("to append is decoded by the node", () => {
    const expected = fc.oneof(fc.constantFrom("any", "no-stream", "stream-exists"), place);
    fc.assert(
      fc.property(name, expected, fc.array(proposed), (stream, revision, events) => {
        const part = encodeBatchPart("00000000-0000-4000-8000-000000000001", events);
        part.setOptions(encodeBatchTarget({ stream, expected: revision }, new Date(0)));
        const sent = streams.BatchAppendReq.deserializeBinary(part.serializeBinary());
        const options = sent.getOptions() ?? new streams.BatchAppendReq.Options();
        expect(decodeBatchTarget(options)).toEqual({ stream, expected: revision });
        expect(options.getDeadline()?.toDate()).toEqual(new Date(0));
        const received = sent.getProposedMessagesList().map(decodeProposed);
        expect(received.map(plain)).toEqual(events.map(plain));
      }),
    );
  });

  it("is refused without options, a type, or a revision that can be", () => {
    const target = encodeBatchTarget({ stream: "order-1", expected: 0n }, new Date(0));
    const [untyped] = encodeBatchPart("", [
      { id: "", type: "", contentType: "", data: Buffer.alloc(0), metadata: Buffer.alloc(0) },
    ]).getProposedMessagesList();
    for (const broken of [
      () => decodeRead(new streams.ReadReq()),
      () => decodeRead(new streams.ReadReq().setOptions(new streams.ReadReq.Options())),
      () => decodeBatchTarget(target.setStreamPosition("-5")),
      () => decodeBatchTarget(target.setStreamPosition("9223372036854775808")),
      () => decodeProposed(untyped ?? new streams.BatchAppendReq.ProposedMessage()),
    ])
      expect(broken).toThrow(Refusal);
  });
});

/** Converts bytes to arrays of numbers, so that only their contents are compared. */
function plain({ data, metadata, ...event }: ProposedEvent) {
  return { ...event, data: [...data], metadata: [...metadata] };
}
