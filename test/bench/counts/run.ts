/**
 * Counts what the operations of `docs/performance.md` do: `pnpm run counts`, two minutes, and strace. The table goes to standard
 * output, as Markdown.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countWork } from "./count-work.ts";
import { formatCounts } from "./counts-table.ts";

const directory = mkdtempSync(join(tmpdir(), "hostledger-counts-"));
process.once("exit", () => {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});
const counted = await countWork(directory, 5);
console.log(formatCounts(counted));
console.error(`A checkpoint of the audit log is ${counted.syncsForCheckpoint.toFixed(1)} syncs.`);
