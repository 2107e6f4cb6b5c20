import { connect, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";

import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { frameOf } from "../codec/grpc-framing.ts";
import { collect, numbered, startTestNode, type TestNode } from "./node.fixture.ts";
import { shared, streams } from "../codec/protocol.ts";

const append = "/event_store.client.streams.Streams/Append";

let test: TestNode;
let session: ClientHttp2Session;
beforeEach(async () => {
  test = await startTestNode();
  session = connect(`http://127.0.0.1:${String(test.node.port)}`);
  await new Promise((resolve) => session.once("connect", resolve));
});
afterEach(async () => {
  session.destroy();
  expect(test.bugs).toEqual([]);
  await test.stop();
});

function call(path: string, contentType = "application/grpc"): ClientHttp2Stream {
  return session.request({ ":method": "POST", ":path": path, "content-type": contentType, te: "trailers" });
}

/** The status that a call ends with. */
function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  return new Promise((resolve) => {
    for (const event of ["response", "trailers"] as const) {
      stream.on(event, (headers) => {
        if (headers["grpc-status"] !== undefined) resolve(Number(headers["grpc-status"]));
        else if (headers[":status"] !== 200 && headers[":status"] !== undefined) resolve(headers[":status"]);
      });
    }
    stream.resume();
  });
}

function appendMessages(): Buffer[] {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from("order-1"));
  const options = new streams.AppendReq.Options().setStreamIdentifier(identifier).setAny(new shared.Empty());
  const proposed = new streams.AppendReq.ProposedMessage()
    .setId(new shared.UUID().setString("11111111-1111-4111-8111-111111111111"))
    .setData(Buffer.from("{}"));
  proposed.getMetadataMap().set("type", "T").set("content-type", "application/json");
  return [
    frameOf(new streams.AppendReq().setOptions(options).serializeBinary()),
    frameOf(new streams.AppendReq().setProposedMessage(proposed).serializeBinary()),
  ];
}

describe("an append on the wire", () => {
  it("is stored when its client has sent all, in however many pieces", async () => {
    const stream = call(append);
    const answered = statusOf(stream);
    for (const byte of Buffer.concat(appendMessages())) stream.write(Buffer.from([byte]));
    stream.end();
    expect(await answered).toBe(status.OK);
    expect(await collect(test.store.read("order-1"))).toHaveLength(1);
  });

  it("is not stored when its connection is lost before the end, also between two messages", async () => {
    const stream = call(append);
    stream.on("error", () => undefined);
    for (const message of appendMessages()) stream.write(message);
    await new Promise((resolve) => session.ping(resolve));
    session.destroy();
    // Stored after it, so that it would be there by then.
    await test.client.appendToStream("other-1", numbered(1));
    expect(await collect(test.store.read("order-1"))).toEqual([]);
  });
});

describe("what is no call of this node", () => {
  it("is answered in gRPC's terms", async () => {
    expect(await statusOf(call("/event_store.client.users.Users/Create").end())).toBe(status.UNIMPLEMENTED);
    expect(await statusOf(call(append, "text/plain").end())).toBe(415);
    expect(await statusOf(call(append).end(Buffer.from([0, 255, 255, 255, 255])))).toBe(
      status.RESOURCE_EXHAUSTED,
    );
    expect(await statusOf(call(append).end(Buffer.from([1, 0, 0, 0, 0])))).toBe(status.UNIMPLEMENTED);
    expect(await statusOf(call(append).end(frameOf(Buffer.from([255, 255, 255]))))).toBe(
      status.INVALID_ARGUMENT,
    );
    expect(await statusOf(call(append).end())).toBe(status.INVALID_ARGUMENT);
  });
});
