import type { IncomingMessage, RequestListener } from "node:http";

import type { CodecOfCategory, CommandHandler, EventStore, IdSequence } from "@hostledger/store";
import type { TextKeys } from "@hostledger/store/personal-data";
import type { Projector, ReadModelLocation } from "@hostledger/read";
import type { Identify, StaffCaller } from "@hostledger/rpc";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { Auditors } from "./credentials/auditors.ts";
import type { LogReader } from "./log.port.ts";
import type { Scrub, ScrubSettings } from "./scrub/scrub.ts";
import type { AuditQueries } from "./reads/audit.queries.ts";
import type { SignInOptions } from "./sign-in/sign-in.ts";

export interface AuditServiceOptions {
  /** The event store with readable personal data, except erased data. */
  readonly store: EventStore;
  /** The raw event store with sealed personal data, as hashed by the log and stored in the read models. */
  readonly rawStore: EventStore;
  /** Keys for personal data in the read models. */
  readonly subjectKeys: TextKeys;
  /** Returns the codec of a category. Default: `codecOfCategory`, by which a contradicting event stops its stream. */
  readonly codecOf?: CodecOfCategory | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Traces requests; absent without a collector. */
  readonly tracing?: Tracing;
  readonly readModels: ReadModelLocation;
  /** The transparency log. The caller closes it. */
  readonly log: LogReader;
  /** Settings of the comparison of store and log. Default: no comparison. */
  readonly scrub?: ScrubSettings;
  /** Checks the whole store file now and returns a clause for each problem. */
  readonly checkFile?: () => Promise<readonly string[]>;
  /** Answers requests under `/audit/log`, in the process that writes the log. */
  readonly logRoutes?: (auditors: Auditors) => RequestListener;
  /** Finds a member of staff by the `Authorization` header, or throws a ConnectError. */
  readonly staff?: Identify<StaffCaller>;
  /** Sign-in of staff to the console: the identity provider, and the look-up of staff by name. Default: no sign-in. */
  readonly signIn?: Pick<SignInOptions, "provider" | "findMember">;
  /** Counts a failed authentication. Returns the seconds to wait if there were too many. */
  readonly countFailure?: (request: IncomingMessage) => Promise<number | undefined>;
  /** Answers every other request under `/audit`: the console. */
  readonly consoleRoutes?: RequestListener;
}

export interface AuditDependencies {
  readonly store: EventStore;
  readonly rawStore: EventStore;
  readonly subjectKeys: TextKeys;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly log: LogReader;
  /** Default: `codecOfCategory`. */
  readonly codecOf?: CodecOfCategory | undefined;
  readonly commands: CommandHandler;
  readonly projector: Projector;
  readonly queries: AuditQueries;
  readonly auditors: Auditors;
  readonly scrub: Scrub | undefined;
  readonly checkFile?: (() => Promise<readonly string[]>) | undefined;
  readonly credentialIds: IdSequence;
}
