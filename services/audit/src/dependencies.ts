import type { IncomingMessage, RequestListener } from "node:http";

import type { CodecOfCategory, CommandHandler, EventStore, IdSequence } from "@hostledger/event-store";
import type { TextKeys } from "@hostledger/personal-data";
import type { Projector, ReadModelLocation } from "@hostledger/projections";
import type { Identify, StaffCaller } from "@hostledger/rpc";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { Auditors } from "./credentials/auditors.ts";
import type { LogReader } from "./log.port.ts";
import type { Scrub } from "./scrub/scrub.ts";
import type { ScrubSettings } from "./scrub/start-scrub.ts";
import type { AuditQueries } from "./reads/audit.queries.ts";
import type { SignInOptions } from "./sign-in/sign-in.ts";

/** What the audit service needs from its process. */
export interface AuditServiceOptions {
  /** The event store as services see it: personal data readable, where it has not been erased. */
  readonly store: EventStore;
  /** The event store as it is, personal data sealed: what the log hashes and the read models keep. */
  readonly rawStore: EventStore;
  /** Open what the read models keep sealed. */
  readonly subjectKeys: TextKeys;
  /** What reads the events of a category's streams. Default: `codecOfCategory`, by which an event that contradicts others stops its stream. */
  readonly codecOf?: CodecOfCategory | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where a collector wants to know what requests lead to. */
  readonly tracing?: Tracing;
  /** Where the service's read models are. */
  readonly readModels: ReadModelLocation;
  /** The transparency log. Closed by whoever opened it. */
  readonly log: LogReader;
  /** How the store is read against the log. Default: not at all. */
  readonly scrub?: ScrubSettings;
  /** Looks at the store's file in every way, now: a clause for each thing that is wrong. */
  readonly checkFile?: () => Promise<readonly string[]>;
  /** Answers requests under `/audit/log`, the way the log's own keeper does. */
  readonly logRoutes?: (auditors: Auditors) => RequestListener;
  /** Finds a member of staff by the `Authorization` header, or throws a ConnectError. */
  readonly staff?: Identify<StaffCaller>;
  /** Where staff may sign in to the console: who proves who they are, and how the facts name them. */
  readonly signIn?: Pick<SignInOptions, "provider" | "findMember">;
  /** Counts an authentication that failed: seconds until the client may fail again, where it was too many. */
  readonly countFailure?: (request: IncomingMessage) => Promise<number | undefined>;
  /** Answers every other request under `/audit`: the console. */
  readonly consoleRoutes?: RequestListener;
}

/** What the service's handlers work with. */
export interface AuditDependencies {
  readonly store: EventStore;
  readonly rawStore: EventStore;
  readonly subjectKeys: TextKeys;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly log: LogReader;
  /** As of the service. Default: `codecOfCategory`. */
  readonly codecOf?: CodecOfCategory | undefined;
  readonly commands: CommandHandler;
  readonly projector: Projector;
  readonly queries: AuditQueries;
  readonly auditors: Auditors;
  readonly scrub: Scrub | undefined;
  readonly checkFile?: (() => Promise<readonly string[]>) | undefined;
  readonly credentialIds: IdSequence;
}
