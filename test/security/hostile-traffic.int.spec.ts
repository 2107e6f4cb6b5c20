import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { startBystanders, type Bystanders } from "../support/bystanders.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";
import {
  attack,
  continuationFlood,
  pingFlood,
  rapidReset,
  settingsFlood,
  type Flood,
} from "./http2-attacker.fixture.ts";

/**
 * Hostile traffic against a real instance while other customers continue. Their latencies are printed and never
 * judged.
 */

let directory: ReturnType<typeof temporaryDirectory>;
let instance: InstanceProcess;
let customer: Customer;
let bystanders: Bystanders;

beforeAll(async () => {
  directory = temporaryDirectory();
  instance = await startInstanceProcess(directory.path, { environment: { HOSTLEDGER_ESDB_PORT: "0" } });
  await sell(instance.staff, "com");
  customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
  bystanders = startBystanders(instance);
  await bystanders.during("nothing", () => realTiming.sleep(1_000));
});

afterEach(() => {
  expect(bystanders.complaints()).toEqual([]);
  expect(instance.child.exitCode).toBeNull();
});

afterAll(async () => {
  await bystanders.stop();
  console.log(bystanders.table());
  expect(await instance.stop()).toBe(0);
  directory.remove();
});

/** The port of one of its listeners. */
function portOf(listener: "RPC" | "EventStoreDB" | "staff"): number {
  if (listener === "staff") return Number(new URL(instance.adminUrl).port);
  if (listener === "EventStoreDB")
    return Number(/event store esdb:\/\/[^:]+:(\d+)/u.exec(instance.stdout())?.[1]);
  const known: unknown = JSON.parse(readFileSync(join(instance.data, "instance.json"), "utf8"));
  return Number(new URL(String(Reflect.get(Object(known), "rpc_url"))).port);
}

describe("a flood of HTTP/2", () => {
  const floods: readonly [string, Flood][] = [
    ["rapid reset", rapidReset],
    ["settings", settingsFlood],
    ["pings", pingFlood],
    ["continuations", continuationFlood],
  ];
  const listeners = ["RPC", "EventStoreDB", "staff"] as const;
  const all = floods.flatMap(([what, flood]) =>
    listeners.map((listener) => [what, listener, flood] as const),
  );

  it.each(all)("of %s on the listener for %s ends that connection", async (what, listener, flood) => {
    await bystanders.during(`${what}, ${listener}`, async () => {
      const attacks = await Promise.all([0, 1].map(() => attack(portOf(listener), flood, 50_000)));
      expect(attacks.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    });
  });

  it.each(listeners)(
    "is not treated as a flood on the listener for %s with 64 requests",
    async (listener) => {
      for (const flood of [rapidReset, settingsFlood, pingFlood])
        expect(await attack(portOf(listener), flood, 64)).toEqual({ sent: 64, isEnded: false });
    },
  );
});

describe("a request that two servers could read differently", () => {
  const host = "Host: localhost\r\n";
  const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
  const length = (text: string): string => `Content-Length: ${String(text.length)}\r\n`;

  it.each([
    [
      "a length and chunks",
      `POST / HTTP/1.1\r\n${host}${length(`0\r\n\r\n${hidden}`)}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["two lengths", `POST / HTTP/1.1\r\n${host}Content-Length: 0\r\n${length(hidden)}\r\n`],
    ["two lengths in one", `POST / HTTP/1.1\r\n${host}Content-Length: 0, 5\r\n\r\n`],
    ["a length with a sign", `POST / HTTP/1.1\r\n${host}Content-Length: +0\r\n\r\n`],
    [
      "chunks that are not last",
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    ["chunks of another name", `POST / HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ["two hosts", `GET / HTTP/1.1\r\n${host}Host: other.example\r\n\r\n`],
    ["two hosts that are the same", `GET / HTTP/1.1\r\n${host}${host}\r\n`],
    ["two hosts in one header", "GET / HTTP/1.1\r\nHost: localhost, other.example\r\n\r\n"],
    ["a host with a blank", "GET / HTTP/1.1\r\nHost: local host\r\n\r\n"],
    ["a host with a user", "GET / HTTP/1.1\r\nHost: other.example@localhost\r\n\r\n"],
    ["a host with a path", "GET / HTTP/1.1\r\nHost: localhost/healthz\r\n\r\n"],
    ["a blank before the colon", `POST / HTTP/1.1\r\n${host}Content-Length : 0\r\n\r\n`],
    ["a folded header", `POST / HTTP/1.1\r\n${host}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
    ["a bare line feed", `POST / HTTP/1.1\r\n${host}X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    [
      "a chunk's size that is none",
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n`,
    ],
    ["a zero in a header", `POST / HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`],
  ])("is refused, and its hidden part is not read: %s", async (_what, request) => {
    for (const port of [Number(new URL(instance.baseUrl).port), portOf("staff"), portOf("RPC")]) {
      const said = await answerTo(port, `${request}${hidden}`);
      expect(said.match(/^HTTP\/1\.1 /gmu)).toHaveLength(1);
      expect(said).toMatch(/^HTTP\/1\.1 4\d\d /u);
    }
  });
});

describe("a bomb of zeros", () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
  const gzip = { "content-encoding": "gzip", "content-type": "application/json" };

  it("is not unpacked for a customer", async () => {
    const headers = { ...gzip, authorization: customer.apiKey };
    await bystanders.during("bomb, REST", async () => {
      const answers = await Promise.all(
        Array.from({ length: 16 }, () =>
          fetch(`${instance.baseUrl}/domains`, { method: "POST", headers, body: bomb }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 415));
    });
  });

  it.each(["RPC", "staff"] as const)("is not unpacked by the listener for %s", async (listener) => {
    const url = `http://127.0.0.1:${String(portOf(listener))}/grpc.health.v1.Health/Check`;
    await bystanders.during(`bomb, ${listener}`, async () => {
      const answers = await Promise.all(
        Array.from({ length: 16 }, () => fetch(url, { method: "POST", headers: gzip, body: bomb })),
      );
      for (const { status } of answers) expect([413, 415, 429]).toContain(status);
    });
  });
});

/** All that the server says to bytes on a connection, until it ends it or has nothing to add. */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes, "latin1"));
    let said = "";
    socket.setEncoding("latin1").on("data", (text: string) => (said += text));
    socket.once("error", reject);
    socket.once("close", () => {
      resolve(said);
    });
  });
}
