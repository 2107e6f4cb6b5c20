import { once } from "node:events";
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from "node:http2";

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { account } from "@hostledger/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { deadlineInterceptor } from "../interceptors/server-interceptors.ts";
import { accountService } from "../testing/account-service.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import type { ServiceImplementation } from "../transport/implement.ts";
import { openRpcListener } from "./rpc-listener.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

type Answer = (request: account.GetAccountRequest, context: HandlerContext) => Promise<object>;

/** Serves accounts and connects to them. */
function sessionWith(answer: Answer, interceptors: readonly Interceptor[] = []): Promise<ClientHttp2Session> {
  return sessionTo([accountService({ getAccount: answer })], interceptors);
}

async function sessionTo(
  services: readonly ServiceImplementation[],
  interceptors: readonly Interceptor[],
): Promise<ClientHttp2Session> {
  const listener = await openRpcListener({
    host: "127.0.0.1",
    port: 0,
    logger: recordingLogger(),
    limits: { messageBytes: 1_000 },
  });
  closing.push(() => listener.close(0));
  listener.serve({ services, interceptors });
  const session = connect(listener.url);
  session.on("error", () => undefined);
  closing.push(() => {
    session.destroy();
    return Promise.resolve();
  });
  return session;
}

const path = `/${account.AccountService.typeName}/GetAccount`;
const plain = {
  ":method": "POST",
  ":path": path,
  "content-type": "application/proto",
  "connect-protocol-version": "1",
  "connect-timeout-ms": "60000",
};

interface Answered {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

async function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Uint8Array = new Uint8Array(),
): Promise<Answered> {
  const stream = session.request(headers);
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.end(body);
  const [received] = (await once(stream, "response")) as [Readonly<Record<string, unknown>>];
  await once(stream, "end");
  return { headers: received, body: Buffer.concat(chunks) };
}

const asked = toBinary(
  account.GetAccountRequestSchema,
  create(account.GetAccountRequestSchema, { accountId: 9n }),
);

function named({ body }: Answered): string {
  return fromBinary(account.GetAccountResponseSchema, body).name;
}

const tellsProtocol: Answer = ({ accountId }, { protocolName }) =>
  Promise.resolve({ accountId, name: protocolName });

describe("a plain call", () => {
  it("is answered with its message, headers and trailers", async () => {
    const session = await sessionWith((_, context) => {
      context.responseHeader.set("x-said", "header");
      context.responseTrailer.set("x-said", "trailer");
      return Promise.resolve({ name: String(Math.ceil((context.timeoutMs() ?? 0) / 60_000)) });
    });
    const answered = await send(session, plain, asked);
    expect(answered.headers).toMatchObject({
      ":status": 200,
      "content-type": "application/proto",
      "content-length": String(answered.body.length),
      "x-said": "header",
      "trailer-x-said": "trailer",
    });
    expect(named(answered)).toBe("1");
  });

  it("goes through the interceptors, outermost first", async () => {
    const seen: string[] = [];
    const noting =
      (name: string): Interceptor =>
      (next) =>
      (request) => {
        seen.push(`${name} ${new URL(request.url).pathname} ${String(request.header.get("x-mine"))}`);
        return next(request);
      };
    const session = await sessionWith(tellsProtocol, [noting("outer"), noting("inner")]);
    await send(session, { ...plain, "x-mine": "1" }, asked);
    expect(seen).toEqual([`outer ${path} 1`, `inner ${path} 1`]);
  });

  it("is refused in JSON, with the error's details", async () => {
    const session = await sessionWith(() =>
      Promise.reject(new ConnectError("no", Code.NotFound, { "x-why": "gone", "content-type": "text/odd" })),
    );
    const { headers, body } = await send(session, plain, asked);
    expect(headers).toMatchObject({ ":status": 404, "content-type": "application/json", "x-why": "gone" });
    expect(JSON.parse(body.toString())).toEqual({ code: "not_found", message: "no" });
  });

  it("reveals no bug", async () => {
    const session = await sessionWith(() => Promise.reject(new Error("a secret")));
    const { headers, body } = await send(session, plain, asked);
    expect(headers[":status"]).toBe(500);
    expect(JSON.parse(body.toString())).toEqual({ code: "internal", message: "internal error" });
  });

  it.each([
    ["an answer", ({ responseHeader }: HandlerContext) => responseHeader.set("connection", "close"), 200],
    ["an error", () => Promise.reject(new ConnectError("no", Code.NotFound, { connection: "close" })), 404],
  ] as const)("loses a header of %s that HTTP/2 does not have", async (_, answer, status) => {
    const session = await sessionWith(async (_request, context) => {
      await answer(context);
      return {};
    });
    const { headers } = await send(session, plain, asked);
    expect(headers[":status"]).toBe(status);
    expect(headers).not.toHaveProperty("connection");
  });

  it("with an invalid message is refused", async () => {
    const session = await sessionWith(tellsProtocol);
    const { headers } = await send(session, plain, Buffer.from([255]));
    expect(headers[":status"]).toBe(500);
  });

  it.each([
    ["the caller's", "20", undefined],
    [
      "the longest that there is, where the caller's is longer",
      "9999999999",
      { defaultMs: 20, maximumMs: 20 },
    ],
    ["the usual one, where the caller has none", undefined, { defaultMs: 20, maximumMs: 60_000 }],
  ])("ends after its time limit, although the handler continues: %s", async (_, timeout, limits) => {
    const session = await sessionWith(() => new Promise(() => undefined), [deadlineInterceptor(limits)]);
    const { "connect-timeout-ms": _replaced, ...untimed } = plain;
    const timed = timeout === undefined ? untimed : { ...untimed, "connect-timeout-ms": timeout };
    const { headers, body } = await send(session, timed, asked);
    expect(headers[":status"]).toBe(504);
    expect(JSON.parse(body.toString())).toMatchObject({ code: "deadline_exceeded" });
  });
});

describe("a service with interceptors of its own", () => {
  it.each([
    ["plain", plain],
    ["by Connect", { ...plain, "accept-encoding": "gzip" }],
  ])("has only those before it: %s", async (_, headers) => {
    const refusing: Interceptor = () => () =>
      Promise.reject(new ConnectError("not you", Code.PermissionDenied));
    const service = { ...accountService({ getAccount: tellsProtocol }), interceptors: [refusing] };
    const answered = await send(
      await sessionTo([service], [() => () => Promise.reject(new Error("unheard"))]),
      headers,
      asked,
    );
    expect(JSON.parse(answered.body.toString())).toEqual({ code: "permission_denied", message: "not you" });
  });
});

describe("a message that is too large", () => {
  it("is refused before it has arrived, and the rest is not read", async () => {
    const session = await sessionWith(tellsProtocol);
    const stream = session.request(plain);
    stream.on("error", () => undefined);
    stream.write(Buffer.alloc(1_001));
    const [headers] = (await once(stream, "response")) as [Readonly<Record<string, unknown>>];
    expect(headers[":status"]).toBe(429);
    stream.resume();
    await once(stream, "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    expect(named(await send(session, plain, asked))).toBe("connect");
  });

  it("is refused so over gRPC, whose status comes last", async () => {
    const session = await sessionWith(tellsProtocol);
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => undefined);
    stream.resume().write(Buffer.from([0, 0, 0, 4, 0, 0]));
    const [status] = (await Promise.race([once(stream, "trailers"), once(stream, "close")])) as [
      Readonly<Record<string, unknown>>,
    ];
    expect(status["grpc-status"]).toBe(String(Code.ResourceExhausted));
  });
});

describe("a caller that leaves", () => {
  it("ends the handler's signal", async () => {
    const entered = Promise.withResolvers<AbortSignal>();
    const session = await sessionWith((_, { signal }) => {
      entered.resolve(signal);
      return new Promise(() => undefined);
    });
    const stream = session.request(plain);
    stream.end(asked);
    const signal = await entered.promise;
    expect(signal.aborted).toBe(false);
    stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: Code.Canceled });
  });

  it("before the end of its request gets no answer and starts nothing", async () => {
    let calls = 0;
    const session = await sessionWith(() => Promise.resolve({ name: String((calls += 1)) }));
    const stream = session.request(plain);
    stream.write(asked.subarray(0, 1));
    await once(stream, "ready");
    stream.close(constants.NGHTTP2_CANCEL);
    expect(named(await send(session, plain, asked))).toBe("1");
    expect(calls).toBe(1);
  });
});

describe("a call in another form", () => {
  it.each([
    ["with a compression that would do", { "accept-encoding": "gzip" }],
    ["without a time limit", { "connect-timeout-ms": undefined }],
    ["without the protocol's version", { "connect-protocol-version": undefined }],
  ])("is answered, too: %s", async (_, other) => {
    const session = await sessionWith(tellsProtocol);
    const headers = Object.entries({ ...plain, ...other }).filter(([, value]) => value !== undefined);
    expect(named(await send(session, Object.fromEntries(headers), asked))).toBe("connect");
  });

  it.each([
    ["in JSON", { "content-type": "application/json" }, 200],
    ["with a time limit that is none", { "connect-timeout-ms": "soon" }, 400],
    ["of a method that is not there", { ":path": `${path}s` }, 404],
  ] as const)("is answered, too: %s", async (_, other, status) => {
    const session = await sessionWith(tellsProtocol);
    const { headers } = await send(session, { ...plain, ...other }, Buffer.from("{}"));
    expect(headers[":status"]).toBe(status);
  });
});
