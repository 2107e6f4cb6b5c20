import type { AccountQuotas, CommandHandler, EventStore } from "@hostledger/event-store";
import type { TextKeys } from "@hostledger/personal-data";
import type { Projector, ReadBack, ReadModelLocation } from "@hostledger/projections";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { TicketDesk } from "./effects/ticket-desk.ts";
import type { SupportQueries } from "./reads/support.queries.ts";

/** What the support service needs from its process. */
export interface SupportServiceOptions {
  readonly store: EventStore;
  /** The same store with personal data as it lies there: read models keep it sealed too. */
  readonly rawStore: EventStore;
  /** What opens it. */
  readonly subjectKeys: TextKeys;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where a collector wants to know what requests lead to. */
  readonly tracing?: Tracing;
  /** Where the service's read models are. */
  readonly readModels: ReadModelLocation;
}

/** What the service's handlers work with. */
export interface SupportDependencies {
  /** With personal data as it lies there: it is asked for places alone. */
  readonly store: Pick<EventStore, "read">;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly projector: Projector;
  readonly readBack: ReadBack<SupportQueries>;
  readonly queries: SupportQueries;
  readonly desk: TicketDesk;
  readonly quotas: AccountQuotas;
}
