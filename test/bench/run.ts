/**
 * The benchmark: `pnpm bench [names…] [--quick] [--json FILE] [--events N] [--svg FILE]`. See README.md beside it.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { defined } from "@hostledger/runtime";

import bundlePrograms from "../../tools/programs.global-setup.ts";
import { startChild } from "./harness/child.ts";
import { describeMachine, machineLine } from "./harness/machine.ts";
import { rowResultSchema } from "./harness/result.ts";
import { formatTable, type MeasuredRow } from "./harness/table.ts";
import { rows, type Row } from "./rows.ts";

/** A bound against hanging; the whole run takes less. What is asked to grow takes as long as it takes. */
const rowLimitMs = 20 * 60_000;
const growthLimitMs = 6 * 3_600_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    events: { type: "string" },
    svg: { type: "string" },
  },
});
const unknown = positionals.filter((name) => !rows.some((row) => row.name === name));
const events = values.events === undefined ? undefined : Number(values.events);
if (events !== undefined && (!Number.isSafeInteger(events) || events < 10_000 || events > 100_000_000)) {
  console.error(
    "--events takes a whole number from 10000 to 100000000: the largest store of the row growth.",
  );
  process.exit(2);
}
if (unknown.length > 0) {
  console.error(
    `There is no row ${unknown.join(", ")}; the rows are ${rows.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}

const directory = mkdtempSync(join(tmpdir(), "hostledger-bench-"));
// PostgreSQL runs as another user, who must reach its folder in here.
chmodSync(directory, 0o755);
process.once("exit", () => {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});
// Exiting ends the processes of the rows, and those end theirs.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

// Measures the bundled programs, as an image runs them; rows inherit their location.
await bundlePrograms();
const growth = defined({ events, svg: values.svg === undefined ? undefined : resolve(values.svg) });
const machine = describeMachine(directory, values.quick ? 20 : 200);
console.error(machineLine(machine));
const measured: MeasuredRow[] = [];
for (const row of rows.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  measured.push(await run(row));
  // Prints each row at once, so that it is not lost if a later row fails.
  console.error(formatTable(measured.slice(-1)));
}
console.log(`\n${machineLine(machine)}\n\n${formatTable(measured)}`);
if (values.json !== undefined) {
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine, quick: values.quick, rows: measured }, null, 2)}\n`,
  );
}

/** Runs a row in a process of its own: none is measured among another one's garbage. */
async function run({ letter, name }: Row): Promise<MeasuredRow> {
  const limitMs = events === undefined ? rowLimitMs : growthLimitMs;
  const startMs = performance.now();
  const own = join(directory, name);
  mkdirSync(own);
  const child = startChild(new URL("./row.child.ts", import.meta.url), [name]);
  const limit = setTimeout(() => {
    console.error(`(${letter}) ${name} takes longer than ${String(limitMs / 1_000)} s: given up.`);
    process.exit(1);
  }, limitMs);
  try {
    const result = rowResultSchema.parse(await child.ask({ quick: values.quick, directory: own, ...growth }));
    console.error(`(${letter}) ${name}: ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
    return { letter, ...result };
  } finally {
    clearTimeout(limit);
    await child.stop();
    rmSync(own, { recursive: true, force: true, maxRetries: 5 });
  }
}
