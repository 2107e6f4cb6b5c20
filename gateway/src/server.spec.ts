import { Agent, get, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { openGateway, startGateway, startHttp } from "./server.ts";
import { keyOfSeven } from "./testing/fake-services.ts";
import { gatewayUnderTest } from "./testing/gateway-under-test.ts";

function keepAliveGet(url: string): { agent: Agent; answer: Promise<IncomingMessage> } {
  const agent = new Agent({ keepAlive: true });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent, headers: { authorization: keyOfSeven } }, resolve).on("error", reject);
  });
  return { agent, answer };
}

async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

describe("startGateway", () => {
  it("finishes a running request, asks its client to close, and accepts no other", async () => {
    const started = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const gateway = await gatewayUnderTest({
      domain: {
        async listDomains() {
          started.resolve(undefined);
          await release.promise;
          return create(domain.ListDomainsResponseSchema);
        },
      },
    });
    const { agent, answer } = keepAliveGet(`${gateway.running.url}/domains`);
    await started.promise;
    const closed = gateway.running.close(10_000);
    await expect(fetch(`${gateway.origin}/healthz`)).rejects.toThrow();
    release.resolve(undefined);
    const response = await answer;
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe("close");
    expect(await text(response)).toBe("[]");
    await closed;
    agent.destroy();
  });

  it("closes idle connections at once, and the rest after the grace period", async () => {
    const started = Promise.withResolvers<undefined>();
    const gateway = await gatewayUnderTest({
      domain: {
        listDomains() {
          started.resolve(undefined);
          return new Promise(() => undefined);
        },
      },
    });
    const idle = keepAliveGet(`${gateway.origin}/healthz`);
    await text(await idle.answer);
    const hanging = keepAliveGet(`${gateway.running.url}/domains`);
    const cut = expect(hanging.answer).rejects.toThrow();
    await started.promise;
    await gateway.running.close(10);
    await cut;
    idle.agent.destroy();
    hanging.agent.destroy();
  });

  it("answers once more on an idle connection during the linger time, and closes it", async () => {
    const gateway = await gatewayUnderTest();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get(`${gateway.origin}/healthz`, { agent }, resolve).on("error", reject);
      });
    const first = await ask();
    await text(first);
    expect(first.headers.connection).toBe("keep-alive");
    const closed = gateway.running.close(10_000, 5_000);
    await expect(fetch(`${gateway.origin}/healthz`)).rejects.toThrow();
    const second = await ask();
    await text(second);
    expect(second.headers.connection).toBe("close");
    // No request is running, so `close` returns at once.
    await closed;
    agent.destroy();
  });

  it("ends idle connections after the linger time", async () => {
    const gateway = await gatewayUnderTest();
    const idle = keepAliveGet(`${gateway.origin}/healthz`);
    await text(await idle.answer);
    await gateway.running.close(60_000, 20);
    idle.agent.destroy();
  });

  it("may be closed twice", async () => {
    const gateway = await gatewayUnderTest();
    await Promise.all([gateway.running.close(0), gateway.running.close(0)]);
    await gateway.running.close(0);
  });

  it("reports in a sentence that a port is taken", async () => {
    const gateway = await gatewayUnderTest();
    const { port } = gateway.running;
    await expect(startGateway({ ...gateway.options, port })).rejects.toThrow(
      `Cannot listen on 127.0.0.1, port ${String(port)}: another program uses the port.`,
    );
  });

  it("reports in a sentence that the machine has no such address", async () => {
    const gateway = await gatewayUnderTest();
    await expect(startGateway({ ...gateway.options, host: "192.0.2.1" })).rejects.toThrow(
      /this machine has no such address/,
    );
  });
});

describe("what is no HTTP", () => {
  it.each([
    ["nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    [
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      "HTTP/1.1 431 Request Header Fields Too Large",
    ],
  ])("is answered in the shape of every failure, with a request id (%#)", async (bytes, statusLine) => {
    const gateway = await gatewayUnderTest();
    const answer = await sendRaw(gateway.running.port, bytes);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe(statusLine);
    expect(head).toMatch(/^X-Request-Id: [0-9a-f]{32}$/m);
    expect(JSON.parse(body)).toEqual({ status: false, error: expect.any(String), code: "malformed_request" });
  });

  it.each(["nonsense\r\n\r\n", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`])(
    "is answered behind a request of the same connection that was answered (%#)",
    async (bytes) => {
      const gateway = await gatewayUnderTest();
      const socket = connect(gateway.running.port, "127.0.0.1");
      socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
      const [first] = z.tuple([z.instanceof(Buffer)]).parse(await once(socket, "data"));
      expect(first.toString()).toMatch(/^HTTP\/1\.1 200 /);
      socket.write(bytes);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 4\d\d [^]*"code":"malformed_request"/);
    },
  );

  it.each(["http://[/x", "http://", "http://a:b/", "http://a b/", "//[/x", "*", "http:x"])(
    "is answered with a failure body if it requests %s",
    async (target) => {
      const gateway = await gatewayUnderTest();
      const method = target === "*" ? "OPTIONS" : "GET";
      const answer = await sendRaw(
        gateway.running.port,
        `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(answer).toMatch(/^X-Request-Id: [0-9a-f]{32}\r$/m);
      expect(answer).toMatch(/"code":"(not_found|malformed_request)"/);
    },
  );

  it("accepts a target in absolute form (RFC 9112 §3.2.2)", async () => {
    const gateway = await gatewayUnderTest();
    const request = "GET http://a/healthz?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    expect(await sendRaw(gateway.running.port, request)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("is answered and cut off when the request names no host", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await sendRaw(gateway.running.port, "GET /healthz HTTP/1.1\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/^X-Request-Id: [0-9a-f]{32}\r$/m);
    expect(answer).toContain('"code":"malformed_request"');
  });

  it.each([
    ["GET /healthz HTTP/1.1\r\n\r\n", "The request names no host: send a Host header."],
    [
      "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "The request has more than one Host header: send exactly one.",
    ],
    ["NONSENSE\r\n\r\n", "The request is not valid HTTP/1.1: send a request that follows RFC 9112."],
    [
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
      "The request's headers are too large: send fewer or shorter ones.",
    ],
  ])("explains the remedy, and names no body: %#", async (bytes, sentence) => {
    const gateway = await gatewayUnderTest();
    expect(await sendRaw(gateway.running.port, bytes)).toContain(JSON.stringify(sentence));
  });

  it("is answered 417, with a request id, for an unsupported expectation", async () => {
    const gateway = await gatewayUnderTest();
    const bytes = "GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n";
    const answer = await sendRaw(gateway.running.port, bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 417 /);
    expect(answer).toMatch(/^X-Request-Id: [0-9a-f]{32}\r$/m);
    expect(answer).toContain('"code":"expectation_failed"');
  });

  it("is answered at the first byte beyond the limit, while the client is still sending", async () => {
    const gateway = await gatewayUnderTest();
    const socket = connect(gateway.running.port, "127.0.0.1");
    const head =
      `POST /api/v1/domains HTTP/1.1\r\nHost: a\r\nAuthorization: ${keyOfSeven}\r\n` +
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = "x".repeat(65_537);
    socket.write(`${head}${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    // The body never ends.
    const [first] = z.tuple([z.instanceof(Buffer)]).parse(await once(socket, "data"));
    expect(first.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it.each(["Transfer-Encoding: chunked", "Content-Length: 2000000"])(
    "answers the next request on a connection whose body before it was too large (%s)",
    async (framing) => {
      const gateway = await gatewayUnderTest();
      const body = "x".repeat(2_000_000);
      const sent = framing.startsWith("T") ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
      const answers = await sendRaw(
        gateway.running.port,
        `POST /api/v1/domains HTTP/1.1\r\nHost: a\r\nAuthorization: ${keyOfSeven}\r\n` +
          `Content-Type: application/json\r\n${framing}\r\n\r\n${sent}` +
          "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      );
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    },
  );

  it("survives a client that goes away in the middle of its body", async () => {
    const gateway = await gatewayUnderTest();
    const closed = Promise.withResolvers<undefined>();
    const socket = connect(gateway.running.port, "127.0.0.1", () => {
      socket.write(
        `POST /api/v1/domains HTTP/1.1\r\nHost: a\r\nAuthorization: ${keyOfSeven}\r\n` +
          `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"dom`,
        () => socket.destroy(),
      );
    });
    socket.on("close", () => {
      closed.resolve(undefined);
    });
    await closed.promise;
    expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
  });
});

describe("what clients may hold open", () => {
  it("does not count a trusted proxy's connections, which serve many clients", async () => {
    const { options, running } = await gatewayUnderTest();
    await running.close(0);
    const ask = async (trustedProxies: readonly string[]) => {
      const gateway = await startGateway({
        ...options,
        port: 0,
        connections: { perAddress: 1, trustedProxies },
      });
      onTestFinished(() => gateway.close(0));
      const held = connect(gateway.port, "127.0.0.1");
      onTestFinished(() => void held.destroy());
      await once(held, "connect");
      return sendRaw(gateway.port, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    };
    expect(await ask([])).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*"code":"overloaded"/);
    expect(await ask(["127.0.0.0/8"])).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("cuts a trusted proxy's connection whose header does not come, in time or before the end", async () => {
    const { options, running } = await gatewayUnderTest();
    await running.close(0);
    const half = async (proxyHeaderMs: number) => {
      const connections = { trustedProxies: ["127.0.0.1"], proxyHeaders: true, proxyHeaderMs };
      const gateway = await startGateway({ ...options, port: 0, connections });
      onTestFinished(() => gateway.close(0));
      const socket = connect(gateway.port, "127.0.0.1");
      socket.write("PROXY TCP4 ");
      await once(socket, "connect");
      // A connection closed before its request was read is reset.
      return { gateway, answer: text(socket).catch(() => "") };
    };
    expect(await (await half(20)).answer).toBe("");
    const { gateway, answer } = await half(600_000);
    await gateway.close(600_000);
    expect(await answer).toBe("");
  });

  it("cuts a connection whose client does not read its answer", async () => {
    const cut = Promise.withResolvers<boolean>();
    const listener = await startHttp({
      host: "127.0.0.1",
      port: 0,
      ids: { requestId: () => "r-1" },
      logger: { info: () => undefined },
      connections: { stalledMs: 100 },
      handle: (_request, response) => {
        response.once("close", () => {
          cut.resolve(response.writableFinished);
        });
        // More bytes than the socket buffers of both sides.
        response.end(Buffer.alloc(64 * 1024 * 1024));
      },
    });
    onTestFinished(() => listener.close(0));
    const held = connect(listener.port, "127.0.0.1");
    onTestFinished(() => void held.destroy());
    held.on("error", () => undefined).pause();
    held.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await cut.promise).toBe(false);
  });
});

describe("openGateway", () => {
  it("answers 503 with Retry-After until it serves, and starting at /readyz", async () => {
    const { options, running } = await gatewayUnderTest();
    await running.close(0);
    const parts = { "event-store": "opening" };
    const waiting = await openGateway({
      ...options,
      port: 0,
      readiness: () => Promise.resolve({ ready: true, parts }),
    });
    onTestFinished(() => waiting.close(0));
    const { origin } = new URL(waiting.url);
    const ask = (path: string) => fetch(`${origin}${path}`, { headers: { authorization: keyOfSeven } });
    const early = await ask("/api/v1/domains");
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(early.headers.get("x-request-id")).not.toBeNull();
    await expect(early.json()).resolves.toEqual({
      status: false,
      error: "The service is starting. Nothing was done; try again in a moment.",
      code: "temporarily_unavailable",
    });
    expect((await ask("/healthz")).status).toBe(200);
    const unready = await ask("/readyz");
    expect(unready.status).toBe(503);
    await expect(unready.json()).resolves.toEqual({
      status: false,
      error: "Not ready: it is starting. Try again after `Retry-After` seconds.",
      code: "overloaded",
    });

    waiting.serve(options);
    expect((await ask("/api/v1/domains")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(200);
  });

  it("is no longer ready after close", async () => {
    const gateway = await gatewayUnderTest();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get(`${gateway.origin}/readyz`, { agent }, resolve).on("error", reject);
      });
    const before = await ask();
    await text(before);
    expect(before.statusCode).toBe(200);
    const closed = gateway.running.close(10_000, 5_000);
    const after = await ask();
    expect([after.statusCode, await text(after)]).toEqual([503, expect.stringContaining("stopping")]);
    await closed;
    agent.destroy();
  });
});
