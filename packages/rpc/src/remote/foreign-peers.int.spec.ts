import { constants, createServer, type ServerHttp2Stream } from "node:http2";

import { Code } from "@connectrpc/connect";
import { listening } from "@hostledger/runtime/testing";
import { afterEach, describe, expect, it } from "vitest";

import { rejectionOf } from "../errors/rejection-error.ts";
import { servingPath } from "../server/probe.ts";
import { caught } from "../testing/caught.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { createServiceTransport, type ServiceTransportLimits } from "./service-transport.ts";
import { callerOver, type Kind } from "./three-methods.fixture.ts";

/** Tests answers of foreign peers: a proxy, another version, an attacker in the middle. */

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Listens and lets `answer` have each call's stream. */
async function peer(
  answer: (stream: ServerHttp2Stream) => void,
): Promise<{ readonly url: string; calls(): number }> {
  let calls = 0;
  const server = createServer();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    if (headers[":path"] === servingPath) stream.respond({ ":status": 200 }, { endStream: true });
    else {
      calls += 1;
      answer(stream);
    }
  });
  return { url: await listening(server), calls: () => calls };
}

/** Calls a method of one of them. */
function callTo(peers: readonly { readonly url: string }[], limits: Partial<ServiceTransportLimits> = {}) {
  const transport = createServiceTransport({
    urls: peers.map(({ url }) => url),
    logger: recordingLogger(),
    limits: { firstPauseMs: 5, ...limits },
  });
  closing.push(() => transport.close());
  return callerOver(transport);
}

const proto = { ":status": 200, "content-type": "application/proto" };

/** Account 7. */
const account = Buffer.from([8, 7]);

function answerIn(stream: ServerHttp2Stream, headers: Record<string, string | number>, body: Buffer): void {
  stream.respond(headers);
  stream.end(body);
}

describe("an answer", () => {
  it("is accepted unchanged, with or without an announced length", async () => {
    const call = callTo([await peer((stream) => answerIn(stream, proto, account))]);
    expect(await call("read")).toMatchObject({ accountId: 7n });
    const announced = await peer((stream) => answerIn(stream, { ...proto, "content-length": 2 }, account));
    expect(await callTo([announced])("read")).toMatchObject({ accountId: 7n });
  });

  it("that ends before its announced length is rejected", async () => {
    const asked = await peer((stream) => {
      stream.respond({ ...proto, "content-length": 4 });
      stream.write(account, () => {
        stream.close(constants.NGHTTP2_NO_ERROR);
      });
    });
    expect(rejectionOf(await caught(callTo([asked])("once"))).code).toBe("temporarily-unavailable");
    expect(asked.calls()).toBe(1);
  });

  it("above the size limit is refused, and not repeated", async () => {
    const asked = await peer((stream) => answerIn(stream, proto, Buffer.alloc(100_000)));
    const error = await caught(callTo([asked], { messageBytes: 1_000 })("read"));
    expect(error).toMatchObject({ code: Code.ResourceExhausted });
    expect(asked.calls()).toBe(1);
  });

  it.each([
    ["bytes that are no message", proto, Code.Internal],
    ["a compression that was not asked for", { ...proto, "content-encoding": "gzip" }, Code.Internal],
    ["a page", { ":status": 200, "content-type": "text/html" }, Code.Unknown],
    [
      "a page of a path that is not there",
      { ":status": 404, "content-type": "text/html" },
      Code.Unimplemented,
    ],
  ] as const)("of %s is an error, and not repeated", async (_, headers, code) => {
    const asked = await peer((stream) => answerIn(stream, headers, Buffer.from([255, 255])));
    expect(await caught(callTo([asked])("read"))).toMatchObject({ code });
    expect(asked.calls()).toBe(1);
  });

  it.each([["text/html"], ["application/json"]])(
    "of a proxy without a server (502, %s) is repeated if the method permits it",
    async (type) => {
      const asked = await peer((stream) =>
        answerIn(stream, { ":status": 502, "content-type": type }, Buffer.from("<html>")),
      );
      expect(rejectionOf(await caught(callTo([asked], { attempts: 3 })("read"))).code).toBe(
        "temporarily-unavailable",
      );
      expect(asked.calls()).toBe(3);
      expect(rejectionOf(await caught(callTo([asked])("once"))).code).toBe("temporarily-unavailable");
      expect(asked.calls()).toBe(4);
    },
  );
});

describe("a stream that the peer resets", () => {
  it.each(["read", "idempotent", "once"] as const satisfies readonly Kind[])(
    "as refused was not processed, and the call is made elsewhere: %s",
    async (kind) => {
      const refusing = await peer((stream) => {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      });
      const answering = await peer((stream) => answerIn(stream, proto, account));
      const call = callTo([refusing, answering]);
      for (let turn = 0; turn < 4; turn += 1) await call(kind);
      expect(answering.calls()).toBe(4);
      expect(refusing.calls()).toBeGreaterThan(0);
    },
  );

  it.each([constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR])(
    "for another reason may have carried out the call (error %i)",
    async (code) => {
      const asked = await peer((stream) => {
        stream.close(code);
      });
      expect(rejectionOf(await caught(callTo([asked])("once"))).code).toBe("temporarily-unavailable");
      expect(asked.calls()).toBe(1);
      await caught(callTo([asked], { attempts: 3 })("idempotent"));
      expect(asked.calls()).toBe(4);
    },
  );
});

describe("a caller that leaves", () => {
  it("resets the stream, so that the peer can stop", async () => {
    const reset = Promise.withResolvers<number>();
    const asked = await peer((stream) => {
      stream.once("close", () => {
        reset.resolve(stream.rstCode);
      });
    });
    const controller = new AbortController();
    const call = caught(callTo([asked])("read", { signal: controller.signal }));
    await expect.poll(() => asked.calls()).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ code: Code.Canceled });
    expect(await reset.promise).toBe(constants.NGHTTP2_CANCEL);
  });
});
