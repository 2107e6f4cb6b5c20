import type { RowResult } from "./harness/result.ts";
import type { Settings } from "./harness/settings.ts";

/** A row of the benchmark: a group of lines of the table. */
export interface Row {
  /** Letter of the row in the issue. */
  readonly letter: string;
  readonly name: string;
  readonly load: () => Promise<{ measure(settings: Settings): Promise<RowResult> }>;
}

/** All rows, in the table's order. Each runs in a process of its own, which loads nothing of the others. */
export const rows: readonly Row[] = [
  { letter: "a", name: "appends", load: () => import("./rows/appends.bench.ts") },
  { letter: "b", name: "commands", load: () => import("./rows/commands.bench.ts") },
  { letter: "c", name: "registrations", load: () => import("./rows/registrations.bench.ts") },
  { letter: "d", name: "reads", load: () => import("./rows/reads.bench.ts") },
  { letter: "e", name: "replay", load: () => import("./rows/replay.bench.ts") },
  { letter: "f", name: "peer", load: () => import("./rows/peer.bench.ts") },
  { letter: "g", name: "lists", load: () => import("./rows/lists.bench.ts") },
  { letter: "h", name: "node", load: () => import("./rows/node.bench.ts") },
  { letter: "i", name: "accounts", load: () => import("./rows/accounts.bench.ts") },
  { letter: "j", name: "fleet", load: () => import("./rows/fleet.bench.ts") },
  { letter: "k", name: "verify", load: () => import("./rows/verify.bench.ts") },
  { letter: "l", name: "log", load: () => import("./rows/log.bench.ts") },
  { letter: "m", name: "starts", load: () => import("./rows/starts.bench.ts") },
  { letter: "n", name: "attacks", load: () => import("./rows/attacks.bench.ts") },
  { letter: "o", name: "epp", load: () => import("./rows/epp.bench.ts") },
  { letter: "p", name: "growth", load: () => import("./rows/growth.bench.ts") },
  { letter: "q", name: "renewals", load: () => import("./rows/renewals.bench.ts") },
  { letter: "r", name: "hop", load: () => import("./rows/hop.bench.ts") },
  { letter: "s", name: "payments", load: () => import("./rows/payments.bench.ts") },
];
