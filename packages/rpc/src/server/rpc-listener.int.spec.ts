import { createClient, Code } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { account, health } from "@hostledger/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { accountService } from "../testing/account-service.fixture.ts";
import { caught } from "../testing/caught.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import type { MetricsPage } from "./metrics-page.ts";
import type { Readiness } from "./readiness.ts";
import { openRpcListener, type RpcListener, type RpcListenerOptions } from "./rpc-listener.ts";

const credential = "the staff credential";
const page: MetricsPage = {
  metrics: { contentType: "text/plain", text: () => Promise.resolve("") },
  credentials: [credential],
};

const listeners: RpcListener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
});

async function open(options: Partial<RpcListenerOptions> = {}): Promise<RpcListener> {
  const listener = await openRpcListener({
    host: "127.0.0.1",
    port: 0,
    logger: recordingLogger(),
    metricsPage: page,
    ...options,
  });
  listeners.push(listener);
  return listener;
}

const served = (getAccount = (): Promise<object> => Promise.resolve({ name: "served" })) => ({
  services: [accountService({ getAccount })],
  interceptors: [],
});

/** Asks as staff, who see the names of the parts. */
async function asked(url: string, path: string): Promise<readonly [number, unknown]> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${credential}` } });
  return [response.status, await response.json()];
}

const calls = {
  Connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" }),
  "Connect over HTTP/1.1": (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
} as const;

describe("a listener before its services", () => {
  it("lives and is not ready", async () => {
    const parts = { "event-store": "opening" };
    const { url } = await open({ readiness: () => Promise.resolve({ ready: true, parts }) });
    expect(await asked(url, "/healthz")).toEqual([200, { status: "ok" }]);
    expect(await asked(url, "/readyz?verbose")).toEqual([
      503,
      { ready: false, parts: { ...parts, listener: "starting" } },
    ]);
  });

  it.each(Object.entries(calls))("refuses calls until they are handed over, %s", async (_, transportTo) => {
    const listener = await open();
    const client = createClient(account.AccountService, transportTo(listener.url));
    expect(await caught(client.getAccount({}))).toMatchObject({ code: Code.Unavailable });
    listener.serve(served());
    expect(await client.getAccount({})).toMatchObject({ name: "served" });
    expect(await asked(listener.url, "/readyz")).toEqual([200, { ready: true, parts: {} }]);
  });

  it("accepts services once, and none after its end", async () => {
    const listener = await open();
    listener.serve(served());
    expect(() => {
      listener.serve(served());
    }).toThrow("serves already");
    await listener.close(0);
    listener.serve(served());
  });
});

describe("readiness", () => {
  it("is the state of the parts, also over grpc.health.v1", async () => {
    let readiness: Readiness = { ready: false, parts: { "account.invoices": "catching-up" } };
    const listener = await open({ readiness: () => Promise.resolve(readiness) });
    listener.serve(served());
    const client = createClient(
      health.Health,
      createConnectTransport({ baseUrl: listener.url, httpVersion: "2" }),
    );
    expect(await asked(listener.url, "/readyz")).toEqual([503, readiness]);
    expect(await client.check({})).toMatchObject({ status: 2 });
    readiness = { ready: true, parts: { "account.invoices": "live" } };
    expect(await asked(listener.url, "/readyz")).toEqual([200, readiness]);
    expect(await client.check({})).toMatchObject({ status: 1 });
  });

  it("is denied when the parts do not report their state", async () => {
    const logger = recordingLogger();
    const listener = await open({ logger, readiness: () => Promise.reject(new Error("broken")) });
    listener.serve(served());
    expect(await asked(listener.url, "/readyz")).toEqual([
      503,
      { ready: false, parts: { listener: "serving", readiness: "unknown" } },
    ]);
    expect(logger.errors).toHaveLength(1);
  });

  it("names no part without a credential, nor if there is none to send", async () => {
    const readiness = (): Promise<Readiness> => Promise.resolve({ ready: true, parts: { secret: "live" } });
    const listener = await open({ readiness });
    listener.serve(served());
    for (const headers of [{}, { authorization: "Bearer guessed" }, { authorization: credential }]) {
      const answer = await fetch(`${listener.url}/readyz`, { headers });
      expect([answer.status, await answer.json()]).toEqual([200, { ready: true }]);
    }
  });

  it("answers no other method, and leaves every other path to the services", async () => {
    const listener = await open();
    listener.serve(served());
    const posted = await fetch(`${listener.url}/readyz`, { method: "POST", body: "{}" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await fetch(`${listener.url}/readyz/more`)).status).toBe(404);
  });
});

describe("a listener that stops", () => {
  it("reports that it stops and refuses calls while running ones finish, then closes", async () => {
    const entered = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const listener = await open();
    listener.serve(
      served(async () => {
        entered.resolve(undefined);
        await release.promise;
        return { name: "finished" };
      }),
    );
    const clientOf = (): ReturnType<typeof createClient<typeof account.AccountService>> =>
      createClient(
        account.AccountService,
        createConnectTransport({ baseUrl: listener.url, httpVersion: "2" }),
      );
    const running = clientOf().getAccount({});
    await entered.promise;
    const closed = listener.close(60_000);
    expect(await asked(listener.url, "/healthz")).toEqual([200, { status: "ok" }]);
    expect(await asked(listener.url, "/readyz")).toEqual([
      503,
      { ready: false, parts: { listener: "stopping" } },
    ]);
    expect(await caught(clientOf().getAccount({}))).toMatchObject({ code: Code.Unavailable });
    release.resolve(undefined);
    expect(await running).toMatchObject({ name: "finished" });
    await closed;
    await expect(fetch(`${listener.url}/healthz`)).rejects.toThrow();
  });
});
