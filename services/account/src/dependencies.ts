import type {
  AccountCommands,
  CodecOfCategory,
  AccountQuotas,
  CommandHandler,
  EventStore,
  IdSequence,
} from "@hostledger/event-store";
import type { SubjectKeys } from "@hostledger/personal-data";
import type { Projector, ReadModelLocation } from "@hostledger/projections";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { AccountQueries } from "./reads/account.queries.ts";
import type { KeyUses } from "./reads/key-uses.ts";

/** What the account service needs from its process. */
export interface AccountServiceOptions {
  readonly store: EventStore;
  /** The same store with personal data as it lies there: read models need none. */
  readonly rawStore: EventStore;
  /** What reads the events of a category's streams. Default: `codecOfCategory`, by which an event that contradicts others stops its stream. */
  readonly codecOf?: CodecOfCategory;
  readonly clock: Clock;
  /** The time that all processes over the data agree on: who has given a key up is decided by it. Default: the clock. */
  readonly agreedClock?: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where a collector wants to know what requests lead to. */
  readonly tracing?: Tracing;
  /** Where the service's read models are. */
  readonly readModels: ReadModelLocation;
  /**
   * Tells whether a gateway process lives, by the name under which it began a request (`BeginRequest.owner`). What a dead
   * one began is given to whoever asks for it again. A program that is the only one on its data knows: its own
   * instance lives, and no other.
   */
  readonly isAlive: (owner: string) => boolean;
  /**
   * How long a request that was begun stays with an owner that is not known to live, in milliseconds. 0, the default, is
   * right where `isAlive` is sure; where several processes share the data it is the time after which silence means death.
   */
  readonly takeOverAfterMs?: number;
  /** Handles the commands about keys of requests, also for the services that claim them. Its store opens secrets. */
  readonly requests: CommandHandler;
  /** The keys of personal data: an erasure destroys the account's, and snapshots are sealed with it. */
  readonly subjectKeys: SubjectKeys;
  /** Above this amount, in cents, a credit by staff needs a second person. 0, the default: none does. */
  readonly approvalCents?: bigint;
  /** Decides on accounts, for every service of the process. */
  readonly accounts: AccountCommands;
}

/** What the handlers of `IdempotencyService` work with. */
export interface RequestDependencies {
  readonly requests: CommandHandler;
  /** The one that all processes agree on: an owner that lives must not be taken for dead where another clock is ahead. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly isAlive: (owner: string) => boolean;
  readonly takeOverAfterMs: number;
}

/** What the service's handlers work with. */
export interface AccountDependencies {
  readonly store: Pick<EventStore, "lineage" | "read" | "subscribe" | "shared" | "lastPosition">;
  readonly accounts: AccountCommands;
  /** The handler of `accounts`, for the streams that belong to accounts. */
  readonly commands: CommandHandler;
  /** Knows what requests with an `Idempotency-Key` were answered. */
  readonly requests: Pick<CommandHandler, "load">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly projector: Projector;
  readonly queries: AccountQueries;
  readonly keyUses: KeyUses;
  readonly accountIds: IdSequence;
  readonly keyIds: IdSequence;
  /** Handles the commands to what accounts may use up. */
  readonly quotas: CommandHandler;
  /** Gives out what of them is used here. */
  readonly dailyQuotas: AccountQuotas;
  readonly subjectKeys: Pick<SubjectKeys, "find" | "destroy">;
  /** Above this amount, in cents, a credit by staff needs a second person; 0: none does. */
  readonly approvalCents: bigint;
}
