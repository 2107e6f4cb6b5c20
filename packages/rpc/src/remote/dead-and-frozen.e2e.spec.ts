import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { Code } from "@connectrpc/connect";
import { realTiming } from "@hostledger/runtime/async";
import { afterEach, describe, expect, it } from "vitest";

import { rejectionOf } from "../errors/rejection-error.ts";
import { caught } from "../testing/caught.fixture.ts";
import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import { createServiceTransport, type ServiceTransport } from "./service-transport.ts";
import { callerOver, kinds } from "./three-methods.fixture.ts";

const program = new URL("server-process.fixture.ts", import.meta.url).pathname;

/** Longer than any test: these calls are never answered. */
const neverMs = 600_000;

interface ServerProcess {
  readonly url: string;
  /** Received calls: kind and operation of each. */
  readonly asked: readonly string[];
  send(signal: NodeJS.Signals): void;
}

const children: ChildProcess[] = [];
const transports: ServiceTransport[] = [];
afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function start(answerAfterMs: number): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, String(answerAfterMs)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const asked: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, "line")) as [string];
  lines.on("line", (line) => asked.push(line.replace(/^asked /, "")));
  return { url: first.replace(/^listening /, ""), asked, send: (signal) => child.kill(signal) };
}

function callsTo(...servers: readonly ServerProcess[]) {
  const limits = { firstPauseMs: 20, pingIntervalMs: 300, pingTimeoutMs: 300, connectTimeoutMs: 500 };
  const transport = createServiceTransport({
    urls: servers.map(({ url }) => url),
    logger: recordingLogger(),
    limits,
  });
  transports.push(transport);
  return { transport, call: callerOver(transport) };
}

/** A server that is asked and never answers, with a call of each kind at it; the other one answers. */
async function inTheMiddle() {
  const silent = await start(neverMs);
  const answering = await start(0);
  const { call, transport } = callsTo(silent, answering);
  await expect
    .poll(async () => {
      // Every other call goes to the silent one: as many as it takes until each kind waits there.
      for (const kind of kinds) void call(kind, { timeoutMs: 200 }).catch(() => undefined);
      await realTiming.sleep(50);
      return transport.health().every(({ state }) => state === "ready");
    })
    .toBe(true);
  const calls = kinds.map((kind) => ({
    kind,
    outcomes: [1, 2].map((twin) => {
      const headers = { "hostledger-operation-id": `${kind}-${String(twin)}` };
      const made = call(kind, { headers, timeoutMs: 60_000 });
      return made.then(
        () => "answered",
        (error: unknown) => error,
      );
    }),
  }));
  const isThere = (kind: string): boolean => silent.asked.some((line) => line.startsWith(`${kind} ${kind}-`));
  await expect.poll(() => kinds.every(isThere)).toBe(true);
  return { silent, answering, calls, transport };
}

describe.each([
  ["dies", "SIGKILL"],
  ["freezes", "SIGSTOP"],
] as const)("a server that %s in the middle of calls", (_, signal) => {
  it("has its repeatable calls answered elsewhere, once more as the same operation, and the others rejected", async () => {
    const { silent, answering, calls } = await inTheMiddle();
    silent.send(signal);
    for (const { kind, outcomes } of calls) {
      const settled = await Promise.all(outcomes);
      const failed = settled.filter((outcome) => outcome !== "answered");
      if (kind !== "once") {
        expect(failed).toEqual([]);
        // The server writes its calls to a pipe, which may be read after its answer.
        await expect
          .poll(() => [1, 2].map((twin) => answering.asked.includes(`${kind} ${kind}-${String(twin)}`)))
          .toEqual([true, true]);
        continue;
      }
      expect(failed).toHaveLength(1);
      expect(failed[0]).toMatchObject({ code: Code.Unavailable });
      expect(rejectionOf(failed[0]).code).toBe("temporarily-unavailable");
      await expect
        .poll(() => answering.asked.filter((line) => line.startsWith("once once-")))
        .toHaveLength(1);
    }
  });
});

describe("a server that freezes", () => {
  it("is noticed without calls, skipped, and used again when it continues", async () => {
    const servers = [await start(0), await start(0)] as const;
    const { transport, call } = callsTo(...servers);
    await call("read");
    const states = (): readonly string[] => transport.health().map(({ state }) => state);
    await expect.poll(states).toEqual(["ready", "ready"]);
    servers[0].send("SIGSTOP");
    await expect.poll(states, { timeout: 20_000 }).toEqual(["unreachable", "ready"]);
    for (let turn = 0; turn < 6; turn += 1) await call("once");
    expect(servers[0].asked.filter((line) => line.startsWith("once"))).toEqual([]);
    servers[0].send("SIGCONT");
    await expect.poll(states, { timeout: 20_000 }).toEqual(["ready", "ready"]);
    for (let turn = 0; turn < 6; turn += 1) await call("once");
    await expect.poll(() => servers[0].asked.filter((line) => line.startsWith("once")).length).toBe(3);
  });

  it("does not delay a call beyond its time limit when it is the only server", async () => {
    const server = await start(0);
    const { call } = callsTo(server);
    await call("read");
    server.send("SIGSTOP");
    const error = await caught(call("idempotent", { timeoutMs: 150 }));
    expect(rejectionOf(error).code).toBe("deadline-exceeded");
  });
});
