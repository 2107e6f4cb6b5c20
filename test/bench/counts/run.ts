/**
 * Counts what the operations of `docs/performance.md` do: `pnpm run counts`, two minutes, and strace. The table goes to standard
 * output, as Markdown. `pnpm run counts replicas` counts what each process does of three replicas.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countWork } from "./count-work.ts";
import { formatCounts } from "./counts-table.ts";
import { countReplicaWork, formatReplicaWork } from "./replica-work.ts";

const directory = mkdtempSync(join(tmpdir(), "hostledger-counts-"));
process.once("exit", () => {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});
if (process.argv.includes("replicas")) console.log(formatReplicaWork(await countReplicaWork(directory, 100)));
else {
  const counted = await countWork(directory, 5);
  console.log(formatCounts(counted));
  console.error(`A checkpoint of the audit log is ${counted.syncsForCheckpoint.toFixed(1)} syncs.`);
}
