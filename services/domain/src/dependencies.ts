import type {
  AccountQuotas,
  Accounts,
  CommandHandler,
  EventStore,
  IdSequence,
  Installation,
} from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import type { WorkEngine } from "@hostledger/work";
import type { Projector, ReadAfter, ReadModelLocation } from "@hostledger/read";
import type { Dns, Registrar, Registrars, Sandbox } from "@hostledger/providers";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { Delivery } from "./effects/delivery.ts";
import type { DomainChanges } from "./effects/domain-changes.ts";
import type { DomainDrift } from "./effects/domain-drift.ts";
import type { Registrations, RenewalRuns, TransferRuns } from "./effects/domain-runs.ts";
import type { Registrants } from "./effects/registrants.ts";
import type { Renewals } from "./effects/renewals.ts";
import type { DomainQueries } from "./reads/domain.queries.ts";
import type { DomainSettings } from "./settings.ts";

/** What the domain service needs from its process. */
export interface DomainServiceOptions {
  readonly store: EventStore;
  /** The same store with personal data as it lies there: read models need none. */
  readonly rawStore: EventStore;
  readonly clock: Clock;
  /** The time that all processes over the data agree on: the prices in force are those of then. Default: the clock. */
  readonly agreedClock?: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where a collector wants to know what requests lead to. */
  readonly tracing?: Tracing;
  /** Where the service's read models are. */
  readonly readModels: ReadModelLocation;
  /** Gets the orders for which the price list chooses no other one. */
  readonly registrar: Registrar;
  /** Those that the price list may choose for an extension. Default: none. */
  readonly otherRegistrars?: readonly Registrar[];
  readonly dns: Dns;
  /** The simulated providers, where they are simulated. */
  readonly sandbox: Sandbox | undefined;
  /** Decides on accounts in this process. */
  readonly accounts: Accounts;
  readonly settings: DomainSettings;
  /** Says which of several processes over one store does a piece of work. Left out where there is one process. */
  readonly leases?: Leases;
  /** Registrations under way in this process at a time. Default: 20,000. */
  readonly activeRegistrations?: number;
  /** How long a registrar that says "I hold nothing" after silence is given before that counts, in milliseconds. Default 10 s. */
  readonly quietMs?: number;
  /** Questions a minute to the registrar whether it still holds the domains. Default: 0, none. */
  readonly registrarChecksPerMinute?: number;
  /** Hours from one comparison of the books with what providers hold to the next. Default: 0, none. */
  readonly comparisonHours?: number;
  /** How long a request waits for its change of a domain, in milliseconds. Default: the driver's own. */
  readonly changeWaitLimitMs?: number;
  /** Pause between two rounds of due work, in milliseconds. Default: the engine's own. */
  readonly workIntervalMs?: number;
  /** False while the clock contradicts the events: then nothing is done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
}

/** What the service's handlers work with. */
export interface DomainDependencies {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  /** What prices are in force by. */
  readonly agreedClock: Pick<Clock, "now">;
  readonly ids: Ids;
  readonly projector: Projector;
  readonly readAfter: ReadAfter<DomainQueries>;
  readonly queries: DomainQueries;
  readonly registrars: Registrars;
  readonly registrants: Registrants;
  readonly sandbox: Sandbox | undefined;
  readonly accounts: Accounts;
  readonly registrations: Registrations;
  readonly renewalRuns: RenewalRuns;
  readonly transferRuns: TransferRuns;
  readonly changes: DomainChanges;
  readonly delivery: Delivery;
  readonly drift: DomainDrift;
  readonly work: Pick<WorkEngine, "attend">;
  readonly renewals: Renewals;
  /** What the ids of orders contain. */
  readonly installation: Installation;
  readonly domainIds: IdSequence;
  readonly recordIds: IdSequence;
  readonly quotas: AccountQuotas;
  readonly settings: DomainSettings;
}
