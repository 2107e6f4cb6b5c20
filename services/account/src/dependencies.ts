import type { Seller } from "@hostledger/audit/documents";
import type { IssuingTerms } from "@hostledger/core";
import type {
  AccountCommands,
  CodecOfCategory,
  AccountQuotas,
  CommandHandler,
  EventStore,
  IdSequence,
  Installation,
} from "@hostledger/store";
import type { DocumentArchive } from "@hostledger/store/documents";
import type { SubjectKeys, TextKeys } from "@hostledger/store/personal-data";
import type { PaymentNotices, PaymentProvider, VatIdChecks } from "@hostledger/providers";
import type { Projector, ReadModelLocation } from "@hostledger/read";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";
import type { KeyedMutex } from "@hostledger/runtime/async";
import type { WorkEngine } from "@hostledger/work";
import type { Leases } from "@hostledger/work/leases";

import type { DocumentFiles } from "./documents/document-files.port.ts";
import type { AccountQueries } from "./reads/account.queries.ts";
import type { KeyUses } from "./reads/key-uses.ts";

/** Dependencies of the work on VAT ids. */
export interface VatIdOptions {
  readonly checks: VatIdChecks;
  /** Reads the seller. */
  readonly issuingTerms: () => Promise<Pick<IssuingTerms, "seller">>;
}

/** The payment provider and its limits. */
export interface PaymentOptions {
  /** Takes new payments; undefined where customers cannot pay by themselves. */
  readonly provider?: PaymentProvider | undefined;
  /** Takes no new payments, and is asked about the payments that customers made through this provider before. */
  readonly formerProvider?: PaymentProvider | undefined;
  /** Origins of the pages to which customers may return, such as `https://hosting.example`. */
  readonly returnOrigins: readonly string[];
  /** Reads webhooks of a provider; absent where webhooks are refused. */
  readonly notices?: PaymentNotices;
}

export interface AccountServiceOptions {
  readonly store: EventStore;
  /** The same event store with sealed personal data, for read models. */
  readonly rawStore: EventStore;
  /** Codec of a category's events. Default: `codecOfCategory`, which stops a stream at a contradictory event. */
  readonly codecOf?: CodecOfCategory;
  readonly clock: Clock;
  /** Clock shared by all processes of the data; decides whether an owner has given up a key. Default: `clock`. */
  readonly agreedClock?: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Records a trace; absent without a trace collector. */
  readonly tracing?: Tracing;
  /** Location of the read models. */
  readonly readModels: ReadModelLocation;
  /** Returns true if a gateway process (`BeginRequest.owner`) is alive; requests of dead ones may be taken over. */
  readonly isAlive: (owner: string) => boolean;
  /** Milliseconds until an owner not known to be alive counts as dead. Default: 0, for a certain `isAlive`. */
  readonly takeOverAfterMs?: number;
  /** Executes commands on idempotency keys, also for services that claim keys. Its store decrypts secrets. */
  readonly requests: CommandHandler;
  /** Keys of personal data; erasing an account destroys its key. Snapshots are sealed with these keys. */
  readonly subjectKeys: SubjectKeys & Pick<TextKeys, "onLoss">;
  /** Amount in cents above which a posting by staff needs a second person; 0, the default, means never. */
  readonly approvalCents?: bigint;
  /** Years for which the law keeps postings after the year in which they were made. Default: 10. */
  readonly retainedJournalYears?: number;
  /** Store of the documents' files. */
  readonly archive: DocumentArchive;
  /** Company named on documents that froze none, while there is no first seller. */
  readonly seller: Seller;
  /** True while the store is an older backup that staff have not accepted. Default: never. */
  readonly refusesWrites?: () => boolean;
  /** Executes commands on accounts for all services of the process. */
  readonly accounts: AccountCommands;
  /** Asks about VAT ids; absent where they decide about no tax. */
  readonly vatIds?: VatIdOptions;
  /** Absent where no payment provider is configured. */
  readonly payments?: PaymentOptions;
  /** Hours between comparisons of the payments with their provider. Default: 0, for none. */
  readonly comparisonHours?: number;
  /** Leases of work that goes on without a request. Absent where there is one process. */
  readonly leases?: Leases;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
  /** Days of debt after which customers are reminded, the fewest first. Default: none. */
  readonly debtReminderDays?: readonly number[];
  /** IBAN of the operator's bank account; absent if no statements are imported. */
  readonly bankIban?: string | undefined;
  /** BIC of that account's bank; absent if unknown. */
  readonly bankBic?: string | undefined;
  /** Pause between two rounds of that work, in milliseconds. Default: 1 s. */
  readonly workIntervalMs?: number;
}

/** Dependencies of the `IdempotencyService` handlers. */
export interface RequestDependencies {
  readonly requests: CommandHandler;
  /** Clock shared by all processes, so that a clock ahead does not declare live owners dead. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly isAlive: (owner: string) => boolean;
  readonly takeOverAfterMs: number;
}

export interface AccountDependencies {
  readonly store: Pick<EventStore, "lineage" | "read" | "subscribe" | "shared" | "lastPosition">;
  readonly accounts: AccountCommands;
  /** Executes commands on other aggregates of accounts. */
  readonly commands: CommandHandler;
  /** Loads requests with an `Idempotency-Key` and their outcomes. */
  readonly requests: Pick<CommandHandler, "load">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly projector: Projector;
  readonly queries: AccountQueries;
  readonly keyUses: KeyUses;
  readonly accountIds: IdSequence;
  readonly keyIds: IdSequence;
  readonly paymentIds: IdSequence;
  readonly payoutIds: IdSequence;
  readonly payoutFileIds: IdSequence;
  readonly methodIds: IdSequence;
  readonly installation: Installation;
  readonly payments: PaymentOptions | undefined;
  readonly engine: Pick<WorkEngine, "attend" | "wake">;
  readonly logger: Logger;
  /** Executes commands on quotas. */
  readonly quotas: CommandHandler;
  readonly dailyQuotas: AccountQuotas;
  readonly documents: DocumentFiles;
  readonly subjectKeys: Pick<SubjectKeys, "find" | "destroy" | "retained">;
  /** Amount in cents above which a posting by staff needs a second person; 0 means never. */
  readonly approvalCents: bigint;
  /** Years for which the law keeps postings after the year in which they were made. */
  readonly retainedJournalYears: number;
  /** Carries out work for requests. */
  readonly work: Pick<WorkEngine, "attend">;
  /** Runs the postings of each member of staff one at a time, because those of a day count together against the approval limit. */
  readonly postings: KeyedMutex<string>;
  /** IBAN of the operator's bank account; undefined if no statements are imported. */
  readonly bankIban: string | undefined;
  /** BIC of that account's bank; undefined if unknown. */
  readonly bankBic: string | undefined;
}
