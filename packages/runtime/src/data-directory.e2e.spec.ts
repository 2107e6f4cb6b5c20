import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { claimDataDirectory } from "./data-directory.ts";
import { directoryOfTest } from "./testing/temporary-directory.ts";

const fixture = fileURLToPath(new URL("claim-data-directory.fixture.ts", import.meta.url));

let root: string;
let children: ChildProcessWithoutNullStreams[];
beforeEach(() => {
  root = directoryOfTest();
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

function start(): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [fixture, root]);
  children.push(child);
  return child;
}

async function startHolding(): Promise<ChildProcessWithoutNullStreams> {
  const child = start();
  const output: readonly unknown[] = await once(child.stdout, "data");
  expect(String(output[0])).toBe("claimed\n");
  return child;
}

async function startRefused(): Promise<string> {
  const child = start();
  const [errors] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(child.exitCode).toBe(1);
  return errors;
}

describe("two processes and one data directory", () => {
  it("refuses the second while the first lives", async () => {
    await startHolding();
    expect(await startRefused()).toMatch(/^The data directory .* is in use by another running Hostledger/);
    expect(() => claimDataDirectory(root)).toThrow(/in use/);
  });

  it("are free for the next one after the first was killed", async () => {
    for (let round = 0; round < 3; round += 1) {
      const holder = await startHolding();
      holder.kill("SIGKILL");
      await once(holder, "exit");
    }
    await startHolding();
  });

  it("are free for the next one after the first released it", async () => {
    const holder = await startHolding();
    holder.stdin.end();
    await once(holder, "exit");
    await startHolding();
  });

  it("admit exactly one of several that start at once", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = start();
        return Promise.race([
          once(child.stdout, "data").then(() => "claimed"),
          once(child, "exit").then(() => "refused"),
        ]);
      }),
    );
    expect(outcomes.sort()).toEqual(["claimed", "refused", "refused", "refused"]);
  });
});
