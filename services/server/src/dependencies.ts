import type {
  AccountQuotas,
  Accounts,
  CommandHandler,
  EventStore,
  IdSequence,
  Installation,
} from "@hostledger/event-store";
import type { Leases } from "@hostledger/leases";
import type { Projector, ReadBack, ReadModelLocation } from "@hostledger/projections";
import type { Compute } from "@hostledger/providers";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { NodeReconciler } from "./effects/node-reconciler.ts";
import type { ServerDrift } from "./effects/server-drift.ts";
import type { ServerOrders, ServerRenewals } from "./effects/server-runs.ts";
import type { ServerQueries } from "./reads/server.queries.ts";
import type { ServerMessage } from "./rpc/server.message.ts";

/** What the server service needs from its process. */
export interface ServerServiceOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** The time that all processes over the data agree on: the prices in force are those of then. Default: the clock. */
  readonly agreedClock?: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where a collector wants to know what requests lead to. */
  readonly tracing?: Tracing;
  /** Where the service's read models are. */
  readonly readModels: ReadModelLocation;
  readonly compute: Compute;
  /** Decides on accounts in this process. */
  readonly accounts: Accounts;
  /** Says which of several processes over one store does a piece of work. Left out where there is one process. */
  readonly leases?: Leases;
  /** Orders, and renewals, under way in this process at a time. Default: the process manager's own limit. */
  readonly activeRuns?: number;
  /** False while the clock contradicts the facts: then nothing is done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
  /** How long a provider that says "I hold nothing" after silence is given before that counts, in milliseconds. Default 10 s. */
  readonly quietMs?: number;
  /** Hours from one comparison of the books with what providers hold to the next. Default: 0, none. */
  readonly comparisonHours?: number;
  /** Days for which a server is kept after it expired. Default: `terminationDaysLimits.default`. */
  readonly terminationDays?: number;
}

/** What the service's handlers work with. */
export interface ServerDependencies {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  /** What prices are in force by. */
  readonly agreedClock: Pick<Clock, "now">;
  readonly projector: Projector;
  readonly readBack: ReadBack<ServerQueries>;
  readonly queries: ServerQueries;
  readonly compute: Compute;
  readonly accounts: Accounts;
  readonly nodes: NodeReconciler;
  readonly drift: ServerDrift;
  readonly orders: ServerOrders;
  readonly renewals: ServerRenewals;
  /** What the ids of orders and the names of machines contain. */
  readonly installation: Installation;
  readonly serverIds: IdSequence;
  readonly planIds: IdSequence;
  readonly regionIds: IdSequence;
  readonly quotas: AccountQuotas;
  readonly serverMessage: ServerMessage;
}
