import { once } from "node:events";
import { type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { reflection } from "@hostledger/protocol";
import { realTiming } from "@hostledger/runtime";
import { describe, expect, it, onTestFinished } from "vitest";

import { deadlineInterceptor } from "../interceptors/server-interceptors.ts";
import { accountService } from "../testing/account-service.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { openRpcListener, type RpcListener, type RpcServerLimits } from "./rpc-listener.ts";

async function open(limits: Partial<RpcServerLimits> = {}): Promise<RpcListener> {
  const listener = await openRpcListener({ host: "127.0.0.1", port: 0, logger: recordingLogger(), limits });
  onTestFinished(() => listener.close(0));
  return listener;
}

async function openServing(
  limits: Partial<RpcServerLimits> = {},
  getAccount = (): Promise<{ name: string }> => Promise.resolve({ name: "Ada" }),
): Promise<RpcListener> {
  const listener = await open(limits);
  listener.serve({
    services: [accountService({ getAccount })],
    interceptors: [deadlineInterceptor()],
  });
  return listener;
}

/** Calls over HTTP/1 with the given head. */
async function callWith(port: number, path: string, version: string, host: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `POST ${path} HTTP/${version}\r\n${host}Content-Type: application/json\r\n` +
      "Content-Length: 2\r\nConnection: close\r\n\r\n{}",
  );
  return text(socket);
}

async function statusOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  const status = Promise.withResolvers<number | undefined>();
  stream.once("response", (headers) => {
    status.resolve(headers[":status"]);
  });
  stream.once("error", status.reject);
  stream.resume().end("{}");
  return status.promise;
}

const check = "/grpc.health.v1.Health/Check";
const getAccount = "/hosting.account.v1.AccountService/GetAccount";

describe("a time limit that is longer than any timer", () => {
  const slow = async (): Promise<{ name: string }> => {
    await realTiming.sleep(50);
    return { name: "Ada" };
  };

  it("is as good as the longest over Connect", async () => {
    const { port } = await openServing({}, slow);
    for (const milliseconds of ["2147483647", "2147483648", "9999999999"]) {
      const head = `Host: a\r\nConnect-Timeout-Ms: ${milliseconds}\r\n`;
      expect(await callWith(port, getAccount, "1.1", head)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
  });

  it.each(["596H", "99999999H", "99999999M", "99999999S"])("is so over gRPC: %s", async (limit) => {
    const { url } = await openServing({}, slow);
    const session = connectHttp2(url);
    onTestFinished(() => {
      session.destroy();
    });
    const headers = { ":method": "POST", ":path": getAccount, te: "trailers" };
    const stream = session.request({
      ...headers,
      "content-type": "application/grpc",
      "grpc-timeout": limit,
    });
    // A message without a field: no compression, no byte.
    stream.resume().end(Buffer.alloc(5));
    const [trailers] = (await once(stream, "trailers")) as [Readonly<Record<string, unknown>>];
    expect(trailers["grpc-status"]).toBe("0");
  });
});

describe("a request whose host is none", () => {
  it.each([
    ["1.0", ""],
    ["1.0", "Host: [\r\n"],
    ["1.1", "Host: \r\n"],
    ["1.1", "Host: [\r\n"],
    ["1.1", "Host: a:99999999\r\n"],
    ["1.1", "Host: a b\r\n"],
  ])("is refused over HTTP/%s with %j, and the process lives", async (version, host) => {
    const [starting, serving] = [await open(), await openServing()];
    for (const [{ port }, path] of [
      [starting, check],
      [serving, check],
      [serving, getAccount],
    ] as const) {
      const answer = await callWith(port, path, version, host);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*"code":"invalid_argument"/);
      expect(await callWith(port, check, "1.1", "Host: a\r\n")).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
  });

  it("is refused over HTTP/2, and the others of its connection are answered", async () => {
    const { url } = await openServing();
    const session = connectHttp2(url);
    onTestFinished(() => {
      session.destroy();
    });
    const call = (path: string, authority: string) =>
      statusOf(
        session.request({
          ":method": "POST",
          ":path": path,
          ":authority": authority,
          "content-type": "application/json",
        }),
      );
    for (const path of [check, getAccount]) {
      expect(await call(path, "[")).toBe(400);
      expect(await call(path, "example.com")).toBe(200);
    }
  });
});

describe("a request of HTTP/2 whose body never ends", () => {
  it("ends with its answer, which comes in time, and the others of its connection continue", async () => {
    const { url } = await openServing({ headerMs: 100, requestMs: 100 });
    const session = connectHttp2(url);
    onTestFinished(() => {
      session.destroy();
    });
    const request = (path: string) =>
      session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    for (const [path, status, code] of [
      [check, 408, "deadline_exceeded"],
      [getAccount, 408, "deadline_exceeded"],
      ["/no-such-method", 404, "unimplemented"],
    ] as const) {
      const stream = request(path);
      stream.write("{");
      let body = "";
      stream.on("data", (bytes: Buffer) => {
        body += bytes.toString();
      });
      const [answer]: unknown[][] = await Promise.all([once(stream, "response"), once(stream, "close")]);
      expect(answer?.[0]).toMatchObject({ ":status": status });
      expect(JSON.parse(body)).toMatchObject({ code });
    }
    expect(await statusOf(request(check))).toBe(200);
  });

  it("continues while it is being answered, as one of many messages is", async () => {
    const { url } = await openServing({ headerMs: 100, requestMs: 100 });
    const client = createClient(reflection.ServerReflection, createGrpcTransport({ baseUrl: url }));
    const answers: unknown[] = [];
    const questions = async function* () {
      const listServices = { messageRequest: { case: "listServices" as const, value: "" } };
      yield listServices;
      await realTiming.sleep(300);
      yield listServices;
    };
    for await (const { messageResponse } of client.serverReflectionInfo(questions()))
      answers.push(messageResponse.case);
    expect(answers).toEqual(["listServicesResponse", "listServicesResponse"]);
  });
});
