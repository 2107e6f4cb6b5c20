import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";

import { openEppRegistrar, openSandbox, type Registrar } from "@hostledger/providers";
import { serveRegistry } from "@hostledger/providers/epp/server";
import { certify, makeAuthority } from "@hostledger/runtime/certificates";
import { systemClock } from "@hostledger/runtime";

import { alternate, duel } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { line, shareOfBaseline, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { percent } from "../harness/table.ts";

const sessionCounts = [1, 4, 16];
const latenciesMs = [20, 100];

/** `create`, `info`, `update` (the lock), `info`: the commands of an order with known nameservers. */
const commandsOfAnOrder = 4;

const aim = shareOfBaseline(0.8);

/**
 * (o) Orders for names over EPP and TLS, by so many sessions with twice as many waiting orders, at a registry in the
 * same process with a given latency. The baseline with a latency is the rate of sessions that are never idle;
 * without latency it is the sandbox's own registrar.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const lines: Line[] = [];
  const notes = [
    `An order is ${String(commandsOfAnOrder)} commands. Client, registry and sandbox share a thread.`,
  ];
  for (const sessions of sessionCounts) {
    await atRegistry(sessions, 0, async (registrar, sandbox) => {
      const { ours, baseline } = await duel(
        contender("EPP", registrar, 2 * sessions, pace),
        contender("sandbox", sandbox, 2 * sessions, pace),
        pace.rounds,
      );
      const subject = `${String(sessions)} sessions, 0 ms, orders/s`;
      lines.push(line(subject, ours, { name: "the sandbox itself", samples: baseline }));
    });
    for (const latencyMs of latenciesMs) {
      await atRegistry(sessions, latencyMs, async (registrar) => {
        const slow = slowPace(settings, latencyMs);
        const before = performance.eventLoopUtilization();
        const [ours = []] = await alternate([contender("EPP", registrar, 2 * sessions, slow)], slow.rounds);
        const full = (sessions * 1_000) / (latencyMs * commandsOfAnOrder);
        const subject = `${String(sessions)} sessions, ${String(latencyMs)} ms, orders/s`;
        lines.push(line(subject, ours, { name: "sessions never idle", samples: [full] }, aim));
        const { utilization } = performance.eventLoopUtilization(before);
        notes.push(
          `${subject}: the thread was busy for ${percent(utilization)} of the time; the rest is waiting.`,
        );
      });
    }
  }
  return { lines, notes };
}

/** Several orders of each session come into a sample, and none of the logins. */
function slowPace(settings: Settings, latencyMs: number): Pace {
  const { rounds, warmUpMs, sampleMs } = paceOf(settings);
  const orderMs = commandsOfAnOrder * latencyMs;
  const [before, counted] = settings.quick ? [1, 2] : [3, 8];
  return {
    rounds: Math.min(rounds, 3),
    warmUpMs: Math.max(warmUpMs, before * orderMs),
    sampleMs: Math.max(sampleMs, counted * orderMs),
  };
}

function contender(name: string, registrar: Registrar, callers: number, pace: Pace) {
  const sample = () =>
    callsPerSecond(callers, pace, async () => {
      const id = randomUUID();
      const order = { clientTransactionId: id, name: `n${id}.com`, years: 1, nameservers };
      const { outcome } = await registrar.register(order);
      if (outcome !== "done") throw new Error(`the order came to be ${outcome}`);
    });
  return { name, sample };
}

const nameservers = ["ns1.example.net", "ns2.example.net"];

async function atRegistry(
  sessions: number,
  latencyMs: number,
  use: (registrar: Registrar, sandbox: Registrar) => Promise<void>,
): Promise<void> {
  const clock = systemClock();
  const authority = await makeAuthority("test registry CA");
  const [user, password] = ["sandbox", randomUUID()];
  const sandbox = openSandbox({ path: ":memory:", clock, latencyMs, limboMs: 0 });
  const server = await serveRegistry({
    sandbox,
    clock,
    accounts: new Map([[user, password]]),
    tls: await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] }),
  });
  const opened = openEppRegistrar({
    name: "registry",
    registry: "generic",
    server: { host: server.host, port: server.port, ca: authority.certificate },
    user,
    password,
    sessions,
    timeLimitMs: 60_000,
    installation: () => Promise.resolve({ part: "b3nch0", knowsPlainIds: false, isCopy: false }),
  });
  try {
    await use(opened.registrar, sandbox.registrar);
  } finally {
    await opened.close();
    await server.close();
    sandbox.close();
  }
}
