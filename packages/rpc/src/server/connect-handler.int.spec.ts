import { connect as connectHttp2, type ClientHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { describe, expect, it, onTestFinished } from "vitest";

import { accountService } from "../testing/account-service.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { openRpcListener, type RpcListener } from "./rpc-listener.ts";

async function open(): Promise<RpcListener> {
  const listener = await openRpcListener({ host: "127.0.0.1", port: 0, logger: recordingLogger() });
  onTestFinished(() => listener.close(0));
  return listener;
}

async function openServing(): Promise<RpcListener> {
  const listener = await open();
  listener.serve({
    services: [accountService({ getAccount: () => Promise.resolve({ name: "Ada" }) })],
    interceptors: [],
  });
  return listener;
}

/** Calls over HTTP/1, with a head as it stands here. */
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
