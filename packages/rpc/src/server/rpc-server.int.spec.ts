import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";

import { Code, ConnectError, createClient, type ServiceImpl, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { rejection } from "@hostledger/core";
import { account, health as healthContract, reflection, reflectionAlpha } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { yieldToOthers } from "@hostledger/runtime/async";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";

import { rejectionError, rejectionOf } from "../errors/rejection-error.ts";
import { requireAccount, requestContextOf } from "../interceptors/call-context.ts";
import { createOutgoing } from "../interceptors/outgoing.ts";
import { serverInterceptors } from "../interceptors/server-interceptors.ts";
import { createServiceTransport } from "../remote/service-transport.ts";
import { accountService } from "../testing/account-service.fixture.ts";
import { caught } from "../testing/caught.fixture.ts";
import { openTokens } from "../testing/tokens.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { createHealth, type Health } from "./health.ts";
import { openRpcListener, type RpcServer, type RpcServerLimits } from "./rpc-listener.ts";

const tokens = openTokens();
const headers = createOutgoing(tokens)({ caller: { kind: "account", accountId: 7 }, requestId: "r-1" });
const accountServiceName = account.AccountService.typeName;

interface Running extends RpcServer {
  readonly health: Health;
}

const running: RpcServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

async function start(
  getAccount?: ServiceImpl<typeof account.AccountService>["getAccount"],
  limits: Partial<RpcServerLimits> = {},
): Promise<Running> {
  const health = createHealth();
  const logger = recordingLogger();
  const server = await openRpcListener({ host: "127.0.0.1", port: 0, health, logger, limits });
  server.serve({
    services: [accountService(defined({ getAccount }))],
    interceptors: serverInterceptors({ tokens, logger }),
  });
  running.push(server);
  return { ...server, health };
}

/** Creates a transport as between services. */
function ours(baseUrl: string): Transport {
  const transport = createServiceTransport({
    urls: [baseUrl],
    logger: recordingLogger(),
    limits: { attempts: 1 },
  });
  onTestFinished(() => transport.close());
  return transport;
}

const transports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  "gRPC over HTTP/2": (baseUrl) => createGrpcTransport({ baseUrl }),
  "gRPC-Web over HTTP/2": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
  "gRPC-Web over HTTP/1.1": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect over HTTP/2": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" }),
  "Connect, as services call each other": ours,
  "Connect over HTTP/1.1": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect with JSON": (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect with GET": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1", useHttpGet: true }),
};

/** Resolves with the received data when the other side has closed the connection. */
function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  const closed = Promise.withResolvers<string>();
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => {
    closed.resolve(Buffer.concat(chunks).toString());
  });
  return closed.promise;
}

describe.each(Object.entries(transports))("the server, %s", (_, transportTo) => {
  it("answers the caller and carries identity, ids and messages", async () => {
    const server = await start((request, context) => {
      const { accountId } = requireAccount(context);
      return {
        accountId: BigInt(accountId),
        name: requestContextOf(context).requestId,
        balanceCents: request.accountId,
      };
    });
    const client = createClient(account.AccountService, transportTo(server.url));
    expect(await client.getAccount({ accountId: 9n }, { headers })).toMatchObject({
      accountId: 7n,
      name: "r-1",
      balanceCents: 9n,
    });
  });

  it("carries rejections whole", async () => {
    const refusal = rejection("insufficient-balance", undefined, {
      requiredCents: 1190n,
      availableCents: 5n,
    });
    const server = await start(() => {
      throw rejectionError(refusal);
    });
    const client = createClient(account.AccountService, transportTo(server.url));
    expect(rejectionOf(await caught(client.getAccount({}, { headers })))).toEqual(refusal);
  });

  it("hides bugs and refuses unknown callers", async () => {
    const server = await start(() => {
      throw new Error("secret");
    });
    const client = createClient(account.AccountService, transportTo(server.url));
    expect(rejectionOf(await caught(client.getAccount({}, { headers })))).toEqual(rejection("internal"));
    expect(rejectionOf(await caught(client.getAccount({}))).code).toBe("unauthenticated");
  });

  it("reports health without identity", async () => {
    const server = await start();
    const client = createClient(healthContract.Health, transportTo(server.url));
    expect(await client.check({ service: accountServiceName })).toMatchObject({ status: 1 });
    expect(await client.check({})).toMatchObject({ status: 2 });
    server.health.set("", "serving");
    expect(await client.check({})).toMatchObject({ status: 1 });
    expect(await caught(client.check({ service: "nothing" }))).toMatchObject({ code: Code.NotFound });
  });
});

describe("health watching", () => {
  it("reports each change, and ends when the server closes", async () => {
    const server = await start();
    const client = createClient(healthContract.Health, createGrpcTransport({ baseUrl: server.url }));
    const statuses: number[] = [];
    for await (const { status } of client.watch({ service: accountServiceName })) {
      statuses.push(status);
      if (statuses.length === 1) server.health.set(accountServiceName, "not-serving");
      if (statuses.length === 2) server.health.set(accountServiceName, "serving");
      if (statuses.length === 3) void server.close(60_000);
    }
    expect(statuses).toEqual([1, 2, 1, 2]);
    await server.close(60_000);
  });

  it("answers an unknown service as unknown until it is known", async () => {
    const server = await start();
    const client = createClient(healthContract.Health, createGrpcTransport({ baseUrl: server.url }));
    const stream = client.watch({ service: "later" })[Symbol.asyncIterator]();
    expect(await stream.next()).toMatchObject({ value: { status: 3 } });
    server.health.set("later", "serving");
    expect(await stream.next()).toMatchObject({ value: { status: 1 } });
  });
});

describe("reflection", () => {
  it.each([
    ["v1", reflection.ServerReflection],
    ["v1alpha", reflectionAlpha.ServerReflection],
  ])("answers each question in turn, %s", async (_, contract) => {
    const server = await start();
    const client = createClient(contract, createGrpcTransport({ baseUrl: server.url }));
    async function* questions() {
      yield { host: "h", messageRequest: { case: "listServices" as const, value: "" } };
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: accountServiceName } };
      yield { messageRequest: { case: "fileByFilename" as const, value: "nothing.proto" } };
      yield {
        messageRequest: { case: "allExtensionNumbersOfType" as const, value: "hosting.account.v1.Invoice" },
      };
      const value = { containingType: "hosting.account.v1.Invoice", extensionNumber: 1 };
      yield { messageRequest: { case: "fileContainingExtension" as const, value } };
      yield await Promise.resolve({});
    }
    const answers: unknown[] = [];
    for await (const answer of client.serverReflectionInfo(questions())) answers.push(answer);
    const services = [
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      accountServiceName,
    ];
    expect(answers).toMatchObject([
      {
        validHost: "h",
        originalRequest: { host: "h" },
        messageResponse: {
          case: "listServicesResponse",
          value: { service: services.map((name) => ({ name })) },
        },
      },
      {
        messageResponse: {
          case: "fileDescriptorResponse",
          // The file itself, and the one it imports.
          value: { fileDescriptorProto: [expect.any(Uint8Array), expect.any(Uint8Array)] },
        },
      },
      { messageResponse: { case: "errorResponse", value: { errorCode: 5 } } },
      { messageResponse: { case: "allExtensionNumbersResponse", value: { extensionNumber: [] } } },
      { messageResponse: { case: "errorResponse", value: { errorCode: 5 } } },
      { messageResponse: { case: "errorResponse", value: { errorCode: 3 } } },
    ]);
  });

  it("is enough for buf curl to make a call without our contracts", async () => {
    const server = await start(({ accountId }) => ({ accountId, name: "found" }));
    const buf = new URL("../../../../node_modules/.bin/buf", import.meta.url).pathname;
    const procedure = `${server.url}/${accountServiceName}/GetAccount`;
    const options = [
      "--http2-prior-knowledge",
      "--reflect",
      "--protocol",
      "grpc",
      "--data",
      '{"accountId": "7"}',
    ];
    const identity = ["--header", `hostledger-caller: ${headers.get("hostledger-caller") ?? ""}`];
    const { stdout } = await promisify(execFile)(buf, ["curl", ...options, ...identity, procedure]);
    expect(JSON.parse(stdout)).toEqual({ accountId: "7", name: "found" });
  });
});

describe("the server's limits", () => {
  it("refuses a message that is too large", async () => {
    const server = await start(() => ({}), { messageBytes: 100 });
    const client = createClient(account.AccountService, createGrpcTransport({ baseUrl: server.url }));
    const error = await caught(client.resolveApiKey({ apiKey: "k".repeat(200) }, { headers }));
    expect(error).toMatchObject({ code: Code.ResourceExhausted });
  });

  it.each(["", "P", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])(
    "closes a connection that does not finish its first headers: %j",
    async (beginning) => {
      const server = await start(undefined, { headerMs: 50 });
      const socket = connect(server.port, "127.0.0.1");
      socket.write(beginning);
      expect(await untilClosed(socket)).not.toContain("200 OK");
    },
  );

  it("reads a preface that comes byte by byte", async () => {
    const server = await start();
    const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
    const closed = untilClosed(socket);
    for (const character of "POST /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") {
      socket.write(character);
      await yieldToOthers();
    }
    expect(await closed).toContain("404");
  });

  it("survives input that is not HTTP", async () => {
    const server = await start(({ accountId }) => ({ accountId }));
    for (const garbage of [
      "PRI * HTTP/1.0\r\n\r\nxxxxxxxxxx",
      "\u0000\u0001\u0002\u0003",
      "PRI",
      "PRIMARY",
    ]) {
      const socket = connect(server.port, "127.0.0.1");
      const closed = untilClosed(socket);
      socket.end(garbage);
      await closed;
    }
    const client = createClient(account.AccountService, createGrpcTransport({ baseUrl: server.url }));
    expect(await client.getAccount({ accountId: 1n }, { headers })).toMatchObject({ accountId: 1n });
  });
});

describe("starting and closing", () => {
  it("refuses a taken port with the system's error", async () => {
    const { port } = await start();
    const logger = recordingLogger();
    const options = { host: "127.0.0.1", port, health: createHealth(), logger };
    expect(await caught(openRpcListener(options))).toMatchObject({ code: "EADDRINUSE" });
  });

  it.each(["2", "1.1"] as const)(
    "finishes a running call and accepts no new one, HTTP/%s",
    async (httpVersion) => {
      const entered = Promise.withResolvers<undefined>();
      const release = Promise.withResolvers<undefined>();
      const server = await start(async () => {
        entered.resolve(undefined);
        await release.promise;
        return { name: "finished" };
      });
      const transport = createConnectTransport({ baseUrl: server.url, httpVersion });
      const call = createClient(account.AccountService, transport).getAccount({}, { headers });
      await entered.promise;
      const closed = server.close(60_000);
      expect(server.health.get(accountServiceName)).toBe("not-serving");
      const late = createClient(
        account.AccountService,
        createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
      );
      expect(rejectionOf(await caught(late.getAccount({}, { headers }))).code).toBe("overloaded");
      release.resolve(undefined);
      expect(await call).toMatchObject({ name: "finished" });
      await closed;
    },
  );

  it.each(["2", "1.1"] as const)("cuts a call that does not finish in time, HTTP/%s", async (httpVersion) => {
    const entered = Promise.withResolvers<AbortSignal>();
    const server = await start((_, context) => {
      entered.resolve(context.signal);
      return new Promise(() => undefined);
    });
    // Connect's own client over HTTP/2 would wait for ever where the peer says good-bye before it is cut off.
    const transport =
      httpVersion === "2" ? ours(server.url) : createConnectTransport({ baseUrl: server.url, httpVersion });
    const call = caught(createClient(account.AccountService, transport).getAccount({}, { headers }));
    const signal = await entered.promise;
    await server.close(10);
    expect(signal.aborted).toBe(true);
    expect(await call).toBeInstanceOf(ConnectError);
  });

  it("closes although a client holds an idle connection, and closes once", async () => {
    const server = await start();
    const idle = connect(server.port, "127.0.0.1");
    const closed = untilClosed(idle);
    const client = createClient(
      healthContract.Health,
      createConnectTransport({ baseUrl: server.url, httpVersion: "2" }),
    );
    await client.check({ service: accountServiceName });
    await Promise.all([server.close(60_000), server.close(60_000)]);
    await closed;
  });
});
