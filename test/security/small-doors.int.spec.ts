import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { domainToASCII } from "node:url";

import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { health } from "@hostledger/protocol";
import { timeoutSignal } from "@hostledger/runtime";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { openCustomer, sell } from "../support/staff-client.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const { SERVING, NOT_SERVING } = health.HealthCheckResponse_ServingStatus;

/** More than the test itself holds. */
const connectionLimit = 300;

let instance: Instance;
let isStoreAway = false;

beforeAll(async () => {
  instance = await startInstance({
    environment: { HOSTLEDGER_CONNECTION_LIMIT: String(connectionLimit) },
    decorate: {
      store: (store) => ({
        append: (...appended) => store.append(...appended),
        read: (stream, options) => store.read(stream, options),
        subscribe: (options) => store.subscribe(options),
        lastPosition: () => (isStoreAway ? Promise.reject(new Error("away")) : store.lastPosition()),
        close: () => store.close(),
      }),
    },
  });
});
afterAll(async () => {
  await instance.close();
});

/** Does something while the event store does not answer. */
async function whileStoreIsAway(act: () => Promise<void>): Promise<void> {
  isStoreAway = true;
  try {
    await act();
  } finally {
    isStoreAway = false;
  }
}

describe("a data directory that others may write", () => {
  it.each([0o770, 0o707, 0o1777])("is refused with a sentence: mode %o", async (mode) => {
    const directory = temporaryDirectory();
    onTestFinished(directory.remove);
    chmodSync(directory.path, mode);
    const start = startInstance({ data: directory.path }).then((started) => started.close());
    await expect(start).rejects.toThrow(/^Others than its owner may write [^\n]+ 0700\.$/);
    // Whoever reads there may, if the operator wants it so.
    chmodSync(directory.path, 0o755);
    await startInstance({ data: directory.path }).then((started) => started.close());
  });
});

describe("what is inside is no stranger's business", () => {
  const asked = async (url: string, headers = {}) => {
    const response = await fetch(new URL("/readyz", url), { headers });
    return { status: response.status, text: await response.text() };
  };
  const names = /projection|store|account|domain|server|support|audit|clock|personal|"parts"/;

  it("whether it is ready is told to everybody, what of it is not to staff alone", async () => {
    const token = readFileSync(join(instance.data, "admin.token"), "utf8").trim();
    const staff = { authorization: `Bearer ${token}` };
    const look = async (status: number, state: string) => {
      for (const url of [instance.baseUrl, instance.adminUrl, instance.rpcUrl]) {
        const open = await asked(url);
        expect(open.status).toBe(status);
        expect(open.text).not.toMatch(names);
      }
      expect((await asked(instance.adminUrl, { authorization: "Bearer guessed" })).text).not.toMatch(names);
      expect((await asked(instance.baseUrl, staff)).text).not.toMatch(names);
      const answer = await asked(instance.adminUrl, staff);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({ parts: { "event-store": state, clock: "trusted" } });
    };
    await look(200, "reachable");
    await whileStoreIsAway(() => look(503, "unreachable"));
  });
});

describe("grpc.health.v1 of the staff listener", () => {
  it("follows what is true, for the process and for each service, also while it is watched", async () => {
    const probe = createClient(health.Health, createGrpcTransport({ baseUrl: instance.adminUrl }));
    const service = "hosting.admin.v1.AccountAdminService";
    const seen: number[] = [];
    const watching = new AbortController();
    const watch = (async () => {
      for await (const { status } of probe.watch({ service: "" }, { signal: watching.signal }))
        seen.push(status);
    })().catch(() => undefined);
    const both = async () => [(await probe.check({})).status, (await probe.check({ service })).status];
    await expect.poll(() => seen).toEqual([SERVING]);
    expect(await both()).toEqual([SERVING, SERVING]);
    isStoreAway = true;
    // Nobody else asks: the watch finds out by itself.
    await expect.poll(() => seen).toEqual([SERVING, NOT_SERVING]);
    expect(await both()).toEqual([NOT_SERVING, NOT_SERVING]);
    isStoreAway = false;
    await expect.poll(() => seen).toEqual([SERVING, NOT_SERVING, SERVING]);
    expect(await both()).toEqual([SERVING, SERVING]);
    watching.abort();
    await watch;
  });
});

describe("connections that ask and never read", () => {
  /** Asks for something large and takes nothing of the answer. */
  async function ask(path: string): Promise<Socket> {
    const { hostname, port } = new URL(instance.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.pause();
    await once(socket, "connect");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(4));
    return socket;
  }

  it.each(["/docs/assets/swagger-ui-bundle.js", "/api/v1/openapi.json"])(
    "share one copy of what is the same for all: %s",
    async (path) => {
      const whole = await (await fetch(new URL(path, instance.baseUrl))).arrayBuffer();
      const before = process.memoryUsage();
      const sockets = await Promise.all(Array.from({ length: 150 }, () => ask(path)));
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
      // The last of them is being answered, so the others are.
      const last = await ask(path);
      last.resume();
      await once(last, "data", { signal: timeoutSignal(60_000) });
      last.destroy();
      const after = process.memoryUsage();
      const grownBytes = after.arrayBuffers - before.arrayBuffers + (after.heapUsed - before.heapUsed);
      expect(whole.byteLength).toBeGreaterThan(100_000);
      expect(grownBytes).toBeLessThan(25_000_000);
    },
  );
});

describe("connections that one address holds", () => {
  it("are so many at most: then it is told, and others are served", async () => {
    const { hostname, port } = new URL(instance.baseUrl);
    const held: Socket[] = [];
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
    });
    const open = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ host: hostname, port: Number(port), localAddress });
      held.push(socket.on("error", () => undefined));
      await once(socket, "connect");
      return socket;
    };
    await Promise.all(Array.from({ length: connectionLimit }, () => open("127.0.0.2")));
    const surplus = await open("127.0.0.2");
    surplus.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    const refusal = await text(surplus);
    expect(refusal).toMatch(/^HTTP\/1\.1 503 [^]*"code":"overloaded"/);
    const other = await open("127.0.0.3");
    other.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(await text(other)).toMatch(/^HTTP\/1\.1 200 /);
    // One that ends makes room.
    held[0]?.destroy();
    await expect
      .poll(async () => {
        const next = await open("127.0.0.2");
        next.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        return text(next);
      })
      .toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("a name that mixes scripts to look like another", () => {
  it("is told to staff when it is registered, and an honest one is not", async () => {
    await sell(instance.staff, "com");
    const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 100_000n });
    const honest = ["münchen.com", "яндекс.com", "日本語テスト.com", "plain.com"];
    const name = domainToASCII("pаypal.com");
    expect(name).toMatch(/^xn--/);
    for (const domain of [...honest.map(domainToASCII), name])
      expect(await customer.post("/domains", { domain })).toMatchObject({ status: 201 });
    const staffTitles = async () => {
      const { tickets } = await instance.staff.support.listAllTickets({});
      return tickets.flatMap(({ accountId, ticket }) => (accountId === 0n ? [ticket?.title] : []));
    };
    await expect.poll(staffTitles).toEqual([`${name} mixes scripts: Cyrillic, Latin`]);
    // It is nobody's ticket but theirs.
    expect((await customer.get("/tickets")).body).toEqual([]);
  });
});
