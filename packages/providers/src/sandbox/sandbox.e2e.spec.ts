import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { SandboxFixture } from "./open-sandbox.fixture.ts";

const program = fileURLToPath(new URL("keep-ordering.fixture.ts", import.meta.url));
const sharing = fileURLToPath(new URL("share-sandbox.fixture.ts", import.meta.url));

interface Answers {
  readonly won: readonly string[];
  readonly addresses: readonly string[];
}

let fixture: SandboxFixture;
beforeEach(() => {
  fixture = new SandboxFixture();
});
afterEach(() => {
  fixture.close();
});

/** Runs the program until some answers have come, kills it, and returns the answered names. */
async function orderUntilKilled(round: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program, fixture.path, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    if (output.length > 2_000) child.kill("SIGKILL");
  });
  await once(child, "close");
  return output.split("\n").slice(0, -1);
}

describe("a process killed with SIGKILL", () => {
  it("loses nothing that the registrar or the DNS server has answered", async () => {
    const acknowledged: string[] = [];
    for (const round of [1, 2, 3]) acknowledged.push(...(await orderUntilKilled(round)));
    expect(acknowledged.length).toBeGreaterThan(100);

    const sandbox = fixture.open();
    const { registrar, dns } = sandbox.show();
    expect(registrar.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
    expect(dns.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
    // Zones are created after their domains, so at most the last zone of each round is missing.
    expect(registrar.length - dns.length).toBeLessThanOrEqual(3);
  });

  it("leaves an order in limbo unchanged, and the count of refusals too", async () => {
    await orderUntilKilled(1);
    fixture.clock.epochMs = Date.now();
    const sandbox = fixture.open();
    expect(await sandbox.registrar.inquire("limbo-1.com")).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 3_600_000;
    expect(await sandbox.registrar.inquire("limbo-1.com")).toMatchObject({ value: { held: true } });

    const zone = { name: "nozone-1.com", records: [] };
    const outcomes = [];
    for (let attempt = 0; attempt < 3; attempt += 1)
      outcomes.push((await sandbox.dns.createZone(zone)).outcome);
    expect(outcomes).toEqual(["refused", "refused", "done"]);
  });
});

describe("several processes at one sandbox", () => {
  /** Starts a process that opens the file with the others and orders on request. */
  async function startSharing(who: string, orders: number, nodeOptions: readonly string[]) {
    const child = spawn(process.execPath, [...nodeOptions, sharing, fixture.path, who, String(orders)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect(await lines.next()).toEqual({ done: false, value: "open" });
    return async (): Promise<Answers> => {
      child.stdin.write("go\n");
      const { value } = await lines.next();
      await once(child, "close");
      const answers: Answers = JSON.parse(String(value));
      return answers;
    };
  }

  /** Options of V8's profiler, whose signals interrupt sleeping threads. */
  const profiled = (): readonly string[] => [
    "--cpu-prof",
    `--cpu-prof-dir=${dirname(fixture.path)}`,
    "--cpu-prof-interval=20",
  ];

  it.each([
    ["left alone", () => []],
    ["profiled", profiled],
  ] as const)("that are %s sell each name once, no address twice, and lose no record", async (_, options) => {
    const [processes, orders] = [["ada", "bob", "eve", "joe"], 40];
    const order = await Promise.all(processes.map((who) => startSharing(who, orders, options())));
    const answers = await Promise.all(order.map((go) => go()));

    const won = answers.flatMap((answer) => answer.won);
    expect(won).toHaveLength(orders);
    expect(new Set(won).size).toBe(orders);
    const addresses = answers.flatMap((answer) => answer.addresses);
    expect(addresses).not.toContain("none");
    expect(new Set(addresses).size).toBe(processes.length * orders);

    const { registrar, dns, compute } = fixture.open().show();
    expect(registrar.map(({ name }) => name).toSorted()).toEqual(won.toSorted());
    expect(compute).toHaveLength(processes.length * orders);
    const records = dns.find(({ name }) => name === "shared-0.com")?.records ?? [];
    expect(new Set(records.map(({ name }) => name)).size).toBe(processes.length * orders);
  });
});
