import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { realTiming } from "@hostledger/runtime/async";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { afterEach, beforeEach, expect, it } from "vitest";

import { startProduct } from "../bench/peers/product.ts";
import { fillInstance, letFollow } from "../bench/replay/filled-instance.ts";
import { commandLine } from "../support/programs.ts";

/** The read models have all of them to follow, and take a while. */
const domains = 5_000;

/** Moments of a start: before anything is listened on, while it opens, and while its read models follow. */
const momentsMs = [50, 400, 800, 1_200, 1_800, 2_500, 4_000];

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => {
  directory.remove();
});

it("one SIGTERM ends a start at any moment, even during a rebuild of read models, and the next start continues", async () => {
  const filled = await fillInstance(directory.path, [1, domains]);
  const data = join(directory.path, "data");
  for (const momentMs of momentsMs) {
    const child = spawn(
      process.execPath,
      [commandLine, "start", "--port", "0", "--admin-port", "0", "--data", data],
      { stdio: "ignore" },
    );
    const exited = once(child, "exit");
    await realTiming.sleep(momentMs);
    child.kill("SIGTERM");
    // The signal itself ends a process that does not handle signals yet.
    expect([
      [0, null],
      [null, "SIGTERM"],
    ]).toContainEqual(await exited);
  }

  await letFollow(filled);
  await using product = await startProduct(directory.path);
  for (const { apiKey, domains: owned } of filled.owners) {
    const answer = await fetch(`${product.baseUrl}/domains`, { headers: { authorization: apiKey } });
    expect(await answer.json()).toHaveLength(owned);
  }
  const { projections } = await product.staff.projections.rebuildProjections({});
  expect(projections.map(({ equal }) => equal)).not.toContain(false);
});
