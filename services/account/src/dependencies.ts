import type { CommandHandler, EventStore, IdSequence } from "@hostledger/event-store";
import type { Projector } from "@hostledger/projections";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import type { AccountQueries } from "./queries/account.queries.ts";

/** What the account service needs from its process. */
export interface AccountServiceOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** File of the service's read models. */
  readonly readModels: string;
}

/** What the service's handlers work with. */
export interface AccountDependencies {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly projector: Projector;
  readonly queries: AccountQueries;
  readonly accountIds: IdSequence;
  readonly invoiceIds: IdSequence;
  readonly keyIds: IdSequence;
}
