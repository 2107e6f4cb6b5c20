import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { health } from "@hostledger/protocol";
import { createLogger, silentLogger } from "@hostledger/runtime";
import { directoryOfTest, freePort, listen } from "@hostledger/runtime/testing";
import { partNames } from "@hostledger/rpc";
import { expect, it, onTestFinished } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import type { PartDecorators } from "./host-context.ts";
import { readinessOf, request, start } from "./standalone.fixture.ts";
import { makeServiceKeys } from "./service-keys/make-service-keys.ts";
import { startParts } from "./start-parts.ts";

/** A store's port that takes connections and never answers. */
async function silentStore(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return `esdb://127.0.0.1:${String(port)}?tls=false`;
}

const { NOT_SERVING } = health.HealthCheckResponse_ServingStatus;
const requested = new Error("asked to stop");

/** The status that an address answers; 0 while nothing listens there. */
function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
}

it("while the event store does not answer, every listener names it, and one signal stops the start", async () => {
  const [port, adminPort, rpcPort] = [await freePort(), await freePort(), await freePort()];
  const stopping = new AbortController();
  const data = directoryOfTest();
  const starting = startParts(partNames, {
    configuration: readConfiguration({
      HOSTLEDGER_PORT: String(port),
      HOSTLEDGER_ADMIN_PORT: String(adminPort),
      HOSTLEDGER_RPC_PORT: String(rpcPort),
      HOSTLEDGER_EVENT_STORE: await silentStore(),
      HOSTLEDGER_DATA: data,
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
    stopping: stopping.signal,
  });
  const ended = expect(starting).rejects.toBe(requested);
  for (const each of [port, adminPort, rpcPort])
    await expect.poll(() => statusOf(`http://127.0.0.1:${String(each)}/readyz`)).toBe(503);
  const staff = await readinessOf({ adminUrl: `http://127.0.0.1:${String(adminPort)}` }, data);
  expect(staff).toMatchObject({ body: { parts: { "event-store": "opening", listener: "starting" } } });
  const open: unknown = await (await fetch(`http://127.0.0.1:${String(port)}/readyz`)).json();
  expect(open).toMatchObject({ error: expect.stringContaining("Not ready: it is starting.") });
  const probe = createClient(
    health.Health,
    createGrpcTransport({ baseUrl: `http://127.0.0.1:${String(rpcPort)}` }),
  );
  await expect(probe.check({ service: "" })).resolves.toMatchObject({ status: NOT_SERVING });
  const baseUrl = `http://127.0.0.1:${String(port)}/api/v1`;
  await expect(request({ baseUrl }, "key", "/domains")).resolves.toMatchObject({
    status: 503,
    body: { code: "temporarily_unavailable" },
  });

  stopping.abort(requested);
  await ended;
  await expect(fetch(baseUrl)).rejects.toThrow();
});

it("a part that runs alone also stops before it is up", async () => {
  const stopping = new AbortController();
  const port = await freePort();
  const data = directoryOfTest();
  makeServiceKeys(join(data, "service-keys"));
  const starting = startParts(["account"], {
    configuration: readConfiguration({
      HOSTLEDGER_RPC_PORT: String(port),
      HOSTLEDGER_EVENT_STORE: await silentStore(),
      HOSTLEDGER_DATA: data,
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
    stopping: stopping.signal,
  });
  const ended = expect(starting).rejects.toBe(requested);
  const url = `http://127.0.0.1:${String(port)}/readyz`;
  await expect.poll(() => statusOf(url)).toBe(503);
  stopping.abort(requested);
  await ended;
  await expect(fetch(url)).rejects.toThrow();
});

/** Delays the first build of the read models of domains and servers until `build` is called. */
function heldUpBuilds() {
  const { promise: mayBuild, resolve } = Promise.withResolvers<undefined>();
  const decorate: PartDecorators = {
    store: (store) => ({
      append: (stream, expected, events) => store.append(stream, expected, events),
      read: (stream, options) => store.read(stream, options),
      lastPosition: () => store.lastPosition(),
      close: () => store.close(),
      async *subscribe(options) {
        const { from, streamPrefixes = [], signal } = options;
        const isBuild =
          from === "start" && ["domain-", "server-"].some((each) => streamPrefixes.includes(each));
        if (isBuild) await Promise.race([mayBuild, ...(signal === undefined ? [] : [once(signal, "abort")])]);
        yield* store.subscribe(options);
      },
    }),
  };
  return {
    decorate,
    build: () => {
      resolve(undefined);
    },
  };
}

it("ends at once while its read models have yet to be built", async () => {
  const data = directoryOfTest();
  const first = await start(data);
  await first.openDemo();
  await first.close();
  rmSync(join(data, "read-models"), { recursive: true });
  const errors: string[] = [];
  const logger = createLogger({ level: "error", sink: { write: (line) => errors.push(line) } });
  const second = await start(data, {}, heldUpBuilds().decorate, logger);
  expect(await readinessOf(second, data)).toMatchObject({
    body: { parts: { "domain.domains": "not-built", "server.servers": "not-built" } },
  });
  await second.close();
  expect(errors).toEqual([]);
});

it("serves tables of another version, marked, and the events while they are rebuilt", async () => {
  const data = directoryOfTest();
  const first = await start(data);
  const apiKey = (await first.openDemo())?.apiKey ?? "";
  await request(first, apiKey, "/domains", { domain: "example.com" });
  await first.close();
  const readModels = new DatabaseSync(join(data, "read-models", "domain.sqlite"));
  readModels.exec("UPDATE checkpoints SET version = 0 WHERE projection = 'domains'");
  readModels.close();

  const { decorate, build } = heldUpBuilds();
  const second = await start(data, {}, decorate);
  const list = async () => {
    const response = await fetch(`${second.baseUrl}/domains`, { headers: { authorization: apiKey } });
    const body: unknown = await response.json();
    return { status: response.status, stale: response.headers.get("hostledger-stale"), body };
  };
  await expect(list()).resolves.toMatchObject({
    status: 200,
    stale: "domain.domains",
    body: [{ domain_name: "example.com" }],
  });
  const origin = new URL(second.baseUrl).origin;
  for (const url of [origin, second.adminUrl, second.rpcUrl])
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await readinessOf(second, data)).toMatchObject({
    body: { parts: { "domain.domains": "rebuilding" } },
  });
  await expect(request(second, apiKey, "/domains", { domain: "bought.com" })).resolves.toMatchObject({
    status: 201,
  });
  build();
  await expect.poll(async () => (await list()).stale).toBeNull();
  await expect(list()).resolves.toMatchObject({
    body: [{ domain_name: "example.com" }, { domain_name: "bought.com" }],
  });
});
