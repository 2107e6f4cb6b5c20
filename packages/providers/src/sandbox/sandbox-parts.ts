import type { DatabaseSync } from "node:sqlite";

import type { LateOrders } from "./late-orders.ts";
import type { Line } from "./line.ts";
import type { TurnTransaction } from "./turn-transaction.ts";
import type { SandboxClock } from "./sandbox-clock.ts";

/** Parts that the simulated providers share. */
export interface SandboxParts {
  readonly database: DatabaseSync;
  readonly turn: TurnTransaction;
  readonly line: Line;
  readonly clock: SandboxClock;
  readonly lateOrders: LateOrders;
  /** Milliseconds of every call. */
  readonly latencyMs: number;
  /** Milliseconds for which an order with `limbo` stays unknown. */
  readonly limboMs: number;
}
