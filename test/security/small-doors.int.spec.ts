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
import { yieldToOthers } from "@hostledger/runtime/async";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

const { SERVING, NOT_SERVING } = health.HealthCheckResponse_ServingStatus;

/** More than the test itself holds. */
const connectionLimit = 300;

/** Address of the load balancer; no other address of this machine is trusted. */
const proxy = "127.0.0.9";

let instance: Instance;
let isStoreAway = false;

beforeAll(async () => {
  instance = await startInstance({
    environment: {
      HOSTLEDGER_CONNECTION_LIMIT: String(connectionLimit),
      HOSTLEDGER_TRUSTED_PROXIES: proxy,
      HOSTLEDGER_PROXY_PROTOCOL: "on",
    },
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
    // The operator may permit others to read the directory.
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

  it("everybody sees whether it is ready, and only staff see its parts", async () => {
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
  it("follows the real state, for the process and for each service, also while it is watched", async () => {
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
    // No client asks again: the watch notices the change itself.
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
    "share one copy of the common answer: %s",
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
  it("are limited: further ones get an answer, and others are served", async () => {
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
    // An ended connection makes room.
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

describe("a header of the PROXY protocol", () => {
  const client = "203.0.113.7";
  const signature = "0d0a0d0a000d0a515549540a";
  const line = Buffer.from(`PROXY TCP4 ${client} 192.0.2.1 5000 443\r\n`);
  const binary = Buffer.from(`${signature}2111000ccb007107c0000201138801bb`, "hex");
  const request = (apiKey: string, headers = ""): Buffer =>
    Buffer.from(
      `GET /api/v1/domains HTTP/1.1\r\nHost: x\r\nAuthorization: ${apiKey}\r\n${headers}Connection: close\r\n\r\n`,
    );

  /** A key that is good where the client is, and nowhere else. */
  let apiKey: string;
  beforeAll(async () => {
    const owner = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 0n });
    apiKey = String(objectOf((await owner.post("/keys", { addresses: [client] })).body).key);
  });

  /** Sends the pieces separately and reads until the server closes: returns the status line, or nothing. */
  async function answerTo(localAddress: string, ...pieces: readonly Buffer[]): Promise<string> {
    const { hostname, port } = new URL(instance.baseUrl);
    const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    // A connection that is ended while it sends is reset.
    const answer = text(socket).catch(() => "");
    for (const piece of pieces) {
      await new Promise((written) => socket.write(piece, written));
      await yieldToOthers();
    }
    return (await answer).split("\r\n", 1)[0] ?? "";
  }

  it.each([
    ["1", line],
    ["2", binary],
  ])("of version %s is believed of a trusted proxy, however it is cut", async (_version, header) => {
    expect(await answerTo(proxy, Buffer.concat([header, request(apiKey)]))).toBe("HTTP/1.1 200 OK");
    const bytes = [...header].map((byte) => Buffer.of(byte));
    expect(await answerTo(proxy, ...bytes, request(apiKey))).toBe("HTTP/1.1 200 OK");
    // The proxy names the client, whatever the client claims.
    const spoofed = `PROXY TCP4 203.0.113.8 192.0.2.1 5000 443\r\n`;
    const claimed = request(apiKey, `X-Forwarded-For: ${client}\r\n`);
    expect(await answerTo(proxy, Buffer.concat([Buffer.from(spoofed), claimed]))).toBe(
      "HTTP/1.1 403 Forbidden",
    );
  });

  it("is invalid HTTP from any other client", async () => {
    const stranger = "127.0.0.8";
    expect(await answerTo(stranger, request(apiKey))).toBe("HTTP/1.1 403 Forbidden");
    for (const header of [line, binary])
      expect(await answerTo(stranger, header, request(apiKey))).toBe("HTTP/1.1 400 Bad Request");
  });

  it.each([
    ["there is none", []],
    ["it has 4 KiB of additions", [Buffer.from(`${signature}2111100c`, "hex"), Buffer.alloc(4_108)]],
    ["it does not end", [Buffer.from(`PROXY TCP4 ${client}${" ".repeat(4_096)}`)]],
    ["it names no address", [Buffer.from(`PROXY TCP4 everybody 192.0.2.1 1 2\r\n`)]],
  ])("closes a trusted proxy's connection, without an answer, if %s", async (_what, pieces) => {
    expect(await answerTo(proxy, ...pieces, request(apiKey))).toBe("");
  });

  it("that is incomplete delays nobody", async () => {
    const { hostname, port } = new URL(instance.baseUrl);
    const held = Array.from({ length: connectionLimit + 1 }, () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: proxy });
      socket.write(line.subarray(0, 20));
      return socket.resume();
    });
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
    });
    await Promise.all(held.map((socket) => once(socket, "connect")));
    expect(await answerTo(proxy, Buffer.concat([binary, request(apiKey)]))).toBe("HTTP/1.1 200 OK");
  });
});

describe("a name that mixes scripts to look like another", () => {
  it("is reported to staff when it is registered, and an ordinary one is not", async () => {
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
    // The customer has no ticket about it.
    expect((await customer.get("/tickets")).body).toEqual([]);
  });
});
