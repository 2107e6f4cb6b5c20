import { createServer as createHttp2Server } from "node:http2";
import { createServer } from "node:net";

import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { health } from "@hostledger/protocol";
import { afterThisTurn } from "@hostledger/runtime/async";
import { freePort, listening } from "@hostledger/runtime/testing";
import { afterEach, describe, expect, it } from "vitest";

import { rejectionError, rejectionOf } from "../errors/rejection-error.ts";
import { openRpcListener, type RpcServer } from "../server/rpc-listener.ts";
import { caught } from "../testing/caught.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import {
  createServiceTransport,
  type ServiceTransport,
  type ServiceTransportLimits,
} from "./service-transport.ts";
import {
  callerOver,
  kinds,
  serveThreeMethods,
  threeMethods,
  type Answering,
} from "./three-methods.fixture.ts";

const logger = recordingLogger();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function serve(answer: Answering, port = 0): Promise<RpcServer> {
  const server = await serveThreeMethods(answer, { port });
  closing.push(() => server.close(0));
  return server;
}

function transportTo(
  urls: readonly string[],
  limits: Partial<ServiceTransportLimits> = {},
): ServiceTransport & { readonly call: ReturnType<typeof callerOver> } {
  const transport = createServiceTransport({ urls, logger, limits: { firstPauseMs: 5, ...limits } });
  closing.push(() => transport.close());
  return { ...transport, call: callerOver(transport) };
}

/** Listens for connections and says nothing, as a process that is frozen. */
function silence(): Promise<string> {
  return listening(createServer());
}

/** Answers every call with headers and the beginning of a body, takes its leave, and hangs up. */
async function breakingMidway(
  contentType: string,
  beginning: Buffer,
): Promise<{ readonly url: string; calls(): number }> {
  let calls = 0;
  const server = createHttp2Server((request, response) => {
    if (request.url === "/healthz") {
      response.end();
      return;
    }
    calls += 1;
    response.writeHead(200, { "content-type": contentType });
    response.write(beginning, () => {
      request.stream.session?.close();
      afterThisTurn(() => request.stream.session?.destroy());
    });
  });
  return { url: await listening(server), calls: () => calls };
}

/** An address where nobody listens. */
async function nowhere(): Promise<string> {
  return `http://127.0.0.1:${String(await freePort())}`;
}

const answered = () => Promise.resolve();
const isUnanswered = (error: unknown): boolean => rejectionOf(error).code === "temporarily-unavailable";

describe("a call that is lost on the way", () => {
  it.each(["read", "idempotent"] as const)(
    "is repeated elsewhere as the same operation: %s",
    async (kind) => {
      const operations: (string | null)[] = [];
      const answer =
        (serverOf: () => RpcServer | undefined): Answering =>
        async (_, { operationId }) => {
          operations.push(operationId);
          // The first to be asked dies of it.
          if (operations.length === 1) await serverOf()?.close(0);
        };
      const servers: RpcServer[] = [];
      servers.push(await serve(answer(() => servers[0])), await serve(answer(() => servers[1])));
      await transportTo(servers.map(({ url }) => url)).call(kind);
      expect(operations).toHaveLength(2);
      expect(operations[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(operations[1]).toBe(operations[0]);
    },
  );

  it.each([
    ["read", "not-found"],
    ["idempotent", "temporarily-unavailable"],
  ] as const)("and then refused elsewhere may still be in progress (%s)", async (kind, code) => {
    let calls = 0;
    const servers: RpcServer[] = [];
    const answer =
      (index: number): Answering =>
      async () => {
        calls += 1;
        // The first to be asked dies of it.
        if (calls > 1) throw rejectionError(rejection("not-found"));
        await servers[index]?.close(0);
      };
    servers.push(await serve(answer(0)), await serve(answer(1)));
    const error = await caught(transportTo(servers.map(({ url }) => url)).call(kind));
    expect(rejectionOf(error).code).toBe(code);
    expect(calls).toBe(2);
  });

  it("is not repeated if the method does not permit it, and is rejected as one to try again", async () => {
    let calls = 0;
    const server = await serve(async () => {
      calls += 1;
      await server.close(0);
    });
    const other = await serve(async () => {
      calls += 1;
      await other.close(0);
    });
    const error = await caught(transportTo([server.url, other.url]).call("once"));
    expect(calls).toBe(1);
    expect(error).toMatchObject({ code: Code.Unavailable });
    expect(isUnanswered(error)).toBe(true);
  });

  it("has the caller's own name of the operation", async () => {
    let named: string | null = null;
    const server = await serve((_, { operationId }) => Promise.resolve((named = operationId)));
    await transportTo([server.url]).call("once", { headers: { "hostledger-operation-id": "mine" } });
    expect(named).toBe("mine");
  });
});

describe("what the peer answers", () => {
  it.each(kinds)("is not repeated if it is a rejection: %s", async (kind) => {
    let calls = 0;
    const refusal = rejection("overloaded", undefined, { retryAfterSeconds: 7 });
    const server = await serve(() => {
      calls += 1;
      return Promise.reject(rejectionError(refusal));
    });
    expect(rejectionOf(await caught(transportTo([server.url]).call(kind)))).toEqual(refusal);
    expect(calls).toBe(1);
  });

  it.each([
    ["read", 5],
    ["idempotent", 5],
    ["once", 1],
  ] as const)(
    "is repeated if the peer accepted no call, within bounds: %s, %s times",
    async (kind, times) => {
      let calls = 0;
      const server = await serve(() => {
        calls += 1;
        return Promise.reject(new ConnectError("not now", Code.Unavailable));
      });
      expect(isUnanswered(await caught(transportTo([server.url]).call(kind)))).toBe(true);
      expect(calls).toBe(times);
    },
  );

  it.each([Code.Internal, Code.Aborted, Code.Canceled, Code.ResourceExhausted, Code.Unknown])(
    "is handed on when it is an error of another kind: %s",
    async (code) => {
      let calls = 0;
      const server = await serve(() => {
        calls += 1;
        return Promise.reject(new ConnectError("no", code));
      });
      expect(await caught(transportTo([server.url]).call("read"))).toMatchObject({ code });
      expect(calls).toBe(1);
    },
  );
});

describe("time limits", () => {
  it("ends a call that is not answered as deadline-exceeded, and the handler's signal with it", async () => {
    const signals: AbortSignal[] = [];
    const server = await serve((_, { context }) => {
      signals.push(context.signal);
      return new Promise(() => undefined);
    });
    const { call } = transportTo([server.url]);
    // On a busy machine a call's time may be over before it reaches the handler.
    while (signals.length === 0) {
      const error = await caught(call("read", { timeoutMs: 50 }));
      expect(rejectionOf(error).code).toBe("deadline-exceeded");
    }
    await expect.poll(() => signals[0]?.aborted).toBe(true);
  });

  it("adds a default to a call without one", async () => {
    const server = await serve(() => new Promise(() => undefined));
    const { call } = transportTo([server.url], { defaultTimeoutMs: 50 });
    expect(rejectionOf(await caught(call("once"))).code).toBe("deadline-exceeded");
  });

  it("holds while no server can be reached", async () => {
    const { call } = transportTo([await silence()], { connectTimeoutMs: 60_000 });
    expect(rejectionOf(await caught(call("read", { timeoutMs: 50 }))).code).toBe("deadline-exceeded");
  });

  it("leaves with the caller", async () => {
    const asked = Promise.withResolvers<undefined>();
    const server = await serve(() => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    });
    const controller = new AbortController();
    const call = caught(transportTo([server.url]).call("idempotent", { signal: controller.signal }));
    await asked.promise;
    controller.abort();
    expect(await call).toMatchObject({ code: Code.Canceled });
  });
});

describe("several addresses", () => {
  it("take turns", async () => {
    const calls = [0, 0];
    const servers = await Promise.all(
      calls.map((_, index) => serve(() => Promise.resolve((calls[index] = (calls[index] ?? 0) + 1)))),
    );
    const transport = transportTo(servers.map(({ url }) => url));
    await transport.call("read");
    await expect.poll(() => transport.health().map(({ state }) => state)).toEqual(["ready", "ready"]);
    calls.fill(0);
    for (let call = 0; call < 10; call += 1) await transport.call("once");
    expect(calls).toEqual([5, 5]);
  });

  it("are skipped while they refuse or are silent, for every method, and used again when they answer", async () => {
    let calls = 0;
    const gone = await nowhere();
    const server = await serve(answered);
    const transport = transportTo([gone, await silence(), server.url], { connectTimeoutMs: 100 });
    for (let call = 0; call < 10; call += 1) await transport.call("once");
    await expect
      .poll(() => transport.health())
      .toEqual([
        { url: gone, state: "unreachable", reason: `${gone} refuses connections.` },
        expect.objectContaining({ state: "unreachable" }),
        { url: server.url, state: "ready" },
      ]);
    await serve(() => Promise.resolve((calls += 1)), Number(new URL(gone).port));
    await expect.poll(() => transport.health()[0]?.state).toBe("ready");
    await transport.call("once");
    await transport.call("once");
    expect(calls).toBeGreaterThan(0);
  });

  it("that are all away make a call wait a little, then fail with a sentence for the log", async () => {
    const url = await nowhere();
    const error = await caught(transportTo([url]).call("once"));
    expect(isUnanswered(error)).toBe(true);
    expect(error).toMatchObject({ cause: { message: `${url} refuses connections.` } });
  });

  it("that do not serve yet are not called before they do, for any method", async () => {
    const listener = await openRpcListener({ host: "127.0.0.1", port: 0, logger });
    closing.push(() => listener.close(0));
    const transport = transportTo([listener.url], { attempts: 20, firstPauseMs: 20 });
    const call = transport.call("once");
    await expect.poll(() => transport.health()[0]?.reason).toContain("does not accept calls now");
    listener.serve({ services: threeMethods(answered), interceptors: [] });
    await call;
  });

  it.each([[[]], [["no url"]]])("must be given, and be URLs: %j", (urls) => {
    expect(() => createServiceTransport({ urls, logger })).toThrow(TypeError);
  });
});

describe("bounds and ends", () => {
  it("refuses a call too many without sending it", async () => {
    let calls = 0;
    const release = Promise.withResolvers<undefined>();
    const server = await serve(async () => {
      calls += 1;
      await release.promise;
    });
    const { call } = transportTo([server.url], { callsInFlight: 2 });
    const running = [call("read"), call("read")];
    expect(rejectionOf(await caught(call("read")))).toEqual(
      rejection("overloaded", undefined, { retryAfterSeconds: 1 }),
    );
    release.resolve(undefined);
    await Promise.all(running);
    await call("read");
    expect(calls).toBe(3);
  });

  it("hands a stream on, and counts it off when it ends", async () => {
    const server = await serve(answered);
    const transport = transportTo([server.url], { callsInFlight: 1 });
    const client = createClient(health.Health, transport);
    for (let turn = 0; turn < 3; turn += 1) {
      const controller = new AbortController();
      for await (const { status } of client.watch({ service: "nothing" }, { signal: controller.signal })) {
        expect(status).toBe(3);
        break;
      }
      controller.abort();
    }
  });

  it("does not repeat a stream that breaks midway, and rejects it as one to try again", async () => {
    const peer = await breakingMidway("application/connect+proto", Buffer.from([0, 0, 0, 0, 2, 8, 1]));
    const watch = createClient(health.Health, transportTo([peer.url])).watch({});
    const received: number[] = [];
    const error = await caught(
      (async () => {
        for await (const { status } of watch) received.push(status);
      })(),
    );
    expect(received).toEqual([1]);
    expect(isUnanswered(error)).toBe(true);
    expect(peer.calls()).toBe(1);
  });

  it("does not accept half an answer, even if the peer leaves meanwhile", async () => {
    // The first of two fields.
    const peer = await breakingMidway("application/proto", Buffer.from([8, 7]));
    expect(isUnanswered(await caught(transportTo([peer.url]).call("once")))).toBe(true);
    expect(peer.calls()).toBe(1);
  });

  it("fails running calls when it is closed, and accepts no more", async () => {
    const asked = Promise.withResolvers<undefined>();
    const server = await serve(() => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    });
    const transport = transportTo([server.url]);
    const running = caught(transport.call("once"));
    await asked.promise;
    await transport.close();
    expect(isUnanswered(await running)).toBe(true);
    expect(isUnanswered(await caught(transport.call("once")))).toBe(true);
  });
});
