import type {
  AccountQuotas,
  Accounts,
  CommandHandler,
  EventStore,
  IdSequence,
  Installation,
} from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import type { Projector, ReadAfter, ReadModelLocation } from "@hostledger/read";
import type { Compute } from "@hostledger/providers";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { Nodes } from "./effects/server-node.effects.ts";
import type { ServerDrift } from "./effects/server-drift.ts";
import type { ServerOrders, ServerRenewals } from "./effects/server-runs.ts";
import type { ServerQueries } from "./reads/server.queries.ts";
import type { ServerMessage } from "./rpc/server.message.ts";

export interface ServerServiceOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Clock shared by all processes of the data; decides the prices in force. Default: `clock`. */
  readonly agreedClock?: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Records a trace; absent without a trace collector. */
  readonly tracing?: Tracing;
  readonly readModels: ReadModelLocation;
  readonly compute: Compute;
  /** Executes commands on accounts in this process. */
  readonly accounts: Accounts;
  /** Assigns work to one of several processes on one store. Absent with one process. */
  readonly leases?: Leases;
  /** Maximum concurrent orders and renewals of this process. Default: 20,000 of each. */
  readonly activeRuns?: number;
  /** Returns false while the clock contradicts stored events; then time-driven work stops. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
  /** Milliseconds after which a provider's "not held" counts for an unanswered order. Default: 10,000. */
  readonly quietMs?: number;
  /** Hours between comparisons of the events with the providers. Default: 0, no comparison. */
  readonly comparisonHours?: number;
  /** Days from a server's expiry to its termination. Default: `terminationDaysLimits.default`. */
  readonly terminationDays?: number;
}

export interface ServerDependencies {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  /** Clock that decides the prices in force. */
  readonly agreedClock: Pick<Clock, "now">;
  readonly projector: Projector;
  readonly readAfter: ReadAfter<ServerQueries>;
  readonly queries: ServerQueries;
  readonly compute: Compute;
  readonly accounts: Accounts;
  readonly nodes: Nodes;
  readonly drift: ServerDrift;
  readonly orders: ServerOrders;
  readonly renewals: ServerRenewals;
  /** Source of the installation's part of order ids and machine names. */
  readonly installation: Installation;
  readonly serverIds: IdSequence;
  readonly planIds: IdSequence;
  readonly regionIds: IdSequence;
  readonly quotas: AccountQuotas;
  readonly serverMessage: ServerMessage;
}
