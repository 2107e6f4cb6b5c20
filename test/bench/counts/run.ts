/**
 * Counts the work of the operations in `docs/performance.md`: `pnpm run counts`, two minutes, needs strace. Prints
 * the table as Markdown. `pnpm run counts replicas` counts the work of each process of three replicas.
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
