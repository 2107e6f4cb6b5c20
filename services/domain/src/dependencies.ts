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

export interface DomainServiceOptions {
  readonly store: EventStore;
  /** The same store with personal data as it lies there: read models need none. */
  readonly rawStore: EventStore;
  readonly clock: Clock;
  /** The time that all processes over the data agree on: the prices in force are those of then. Default: the clock. */
  readonly agreedClock?: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Tracing, if a collector is configured. */
  readonly tracing?: Tracing;
  readonly readModels: ReadModelLocation;
  /** Gets the orders for which the price list chooses no other one. */
  readonly registrar: Registrar;
  /** Further registrars that the price list may choose for an extension. Default: none. */
  readonly otherRegistrars?: readonly Registrar[];
  readonly dns: Dns;
  /** The simulated providers, where they are simulated. */
  readonly sandbox: Sandbox | undefined;
  /** Decides on accounts in this process. */
  readonly accounts: Accounts;
  readonly settings: DomainSettings;
  /** Decides which of several processes over one store does a piece of work. Undefined if there is only one process. */
  readonly leases?: Leases;
  /** Registrations under way in this process at a time. Default: 20,000. */
  readonly activeRegistrations?: number;
  /**
   * Quiet period before a registrar's "I hold nothing" after an unanswered order counts, in milliseconds. Default:
   * 10 s.
   */
  readonly quietMs?: number;
  /** Questions a minute to the registrar whether it still holds the domains. Default: 0, none. */
  readonly registrarChecksPerMinute?: number;
  /** Hours between comparisons of the books with the providers. Default: 0, no comparisons. */
  readonly comparisonHours?: number;
  /** Maximum wait of a request for its change of a domain, in milliseconds. Default: the driver's limit. */
  readonly changeWaitLimitMs?: number;
  /** Pause between two rounds of due work, in milliseconds. Default: the engine's own. */
  readonly workIntervalMs?: number;
  /** False while the clock contradicts the events: then nothing is done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
}

export interface DomainDependencies {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  /** Clock by which prices take effect. */
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
  /** Installation whose random part the ids of orders contain. */
  readonly installation: Installation;
  readonly domainIds: IdSequence;
  readonly recordIds: IdSequence;
  readonly quotas: AccountQuotas;
  readonly settings: DomainSettings;
}
