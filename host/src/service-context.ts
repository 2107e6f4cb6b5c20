import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { createRequestClaims, createRequestCommands } from "@hostledger/account-service";
import {
  createCommandHandler,
  createInstallation,
  guardLineage,
  Lineage,
  type CommandHandler,
  type EventStore,
  type Installation,
} from "@hostledger/store";
import { createLocalLeases, openPostgresLeases, type Leases } from "@hostledger/work/leases";
import { sealPersonalData } from "@hostledger/store/personal-data";
import type { ReadModelLocation } from "@hostledger/read";
import type { ClaimOf } from "@hostledger/rpc";
import {
  ConfigurationError,
  defined,
  errorCodeOf,
  type Clock,
  type Ids,
  type Logger,
  randomIds,
  retry,
  secretFile,
  supervise,
  systemClock,
  type Tracing,
  writeFileAtomically,
} from "@hostledger/runtime";

import { createAgreedClock, type AgreedClock } from "./agreed-clock.ts";
import { openClockWatch, type ClockWatch } from "./clock-watch.ts";
import type { Configuration } from "./configuration/index.ts";
import type { HostContext } from "./host-context.ts";
import { traceAppends } from "./metrics/append-spans.ts";
import { openEventStore } from "./open-event-store.ts";
import { refuseUnsupported } from "./open-providers.ts";
import { dataFiles } from "./data-files.ts";
import { createProviderBreakers, type ProviderBreakers } from "./provider-breakers.ts";
import type { ServiceKeyOptions, TokensOf } from "./service-keys/open-service-keys.ts";
import { createServiceCredentials, type ServiceCredentials } from "./staff/service-credentials.ts";
import { createStaffMembers, staffTokenPrefix, type StaffMembers } from "./staff/staff-members.ts";
import { endRetentionTerms } from "./retention.ts";
import { isShared } from "./shared-data.ts";
import { compareStoreMarks } from "./store-mark.ts";
import { claimStore } from "./store-owner.ts";
import { signedEventsIn } from "./skipped-ids.ts";
import { createStoreWatch, type StoreWatch } from "./store-watch.ts";
import { finishErasures, openSubjectKeys, watchKeyLosses, type WatchedKeys } from "./subject-keys.ts";
import { startBackoff } from "./time-limits.ts";

/** Parts of a process that its services use, besides the providers. */
export interface ServiceContext {
  readonly clock: Clock;
  /** Clock of all processes that share the data, for decisions that must agree between them. */
  readonly agreedClock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
  /** Store as services use it: seals personal data on writes, opens it on reads, and shows secrets as `[secret]`. */
  readonly store: EventStore;
  /** The same store with secrets opened too, for the services that act with them. Nothing that it reads is shown to a person. */
  readonly secretsStore: EventStore;
  /** Store with the raw bytes, for proofs, copies and serving the log. */
  readonly rawStore: EventStore;
  /** Keys of personal data. */
  readonly subjectKeys: WatchedKeys;
  /** Decides which of several processes does a piece of work. */
  readonly leases: Leases;
  /** Distinguishes this installation from others at the same providers. */
  readonly installation: Installation;
  /** Of the providers that are opened here. */
  readonly breakers: ProviderBreakers;
  /** Decides whether the time is trusted. */
  readonly clockWatch: ClockWatch;
  /** Detects a store that was restored from an older backup. */
  readonly storeWatch: StoreWatch;
  /** False while nothing may be done by the time alone: the clock is not trusted, or the store was restored from an older backup. */
  readonly isTimeTrusted: () => boolean;
  /** True while the store is an older backup that staff have not accepted. */
  readonly refusesWrites: () => boolean;
  /** Identifies this process as an owner of running work. */
  readonly instanceId: string;
  /** Signs calls of this process's parts, and verifies calls of others. */
  readonly tokensOf: TokensOf;
  /** Identifies members of staff. */
  readonly staff: StaffMembers;
  /** Identifies internal teams. */
  readonly teams: ServiceCredentials;
  /** Handles the commands about keys of requests, for all services of the process. */
  readonly requests: CommandHandler;
  /** Claims the key of a request that is about to have an effect. */
  readonly claimOf: ClaimOf;
  readModels(service: string): ReadModelLocation;
}

/**
 * Opens the configured stores, and waits up to `startTimeoutMs` for those that do not answer yet.
 * @param openKeys opens the keys of this process.
 * @param gatherMs see `EventStoreDbOptions.gatherMs`.
 * @throws Error with a sentence for the operator.
 */
export async function openServiceContext(
  hostContext: HostContext,
  openKeys: (options: ServiceKeyOptions) => TokensOf,
  gatherMs?: number,
): Promise<ServiceContext> {
  const { configuration, logger, decorate, shutdown } = hostContext;
  refuseUnsupported(configuration);
  const machineClock = systemClock(configuration.clockOffsetMs);
  const clock = decorate?.clock?.(machineClock) ?? machineClock;
  const tokensOf = openKeys({ configuration, clock, logger });
  const staffCredential = staffCredentialOf(configuration);
  const subjectKeys = await openSubjectKeys(hostContext);
  const { opened, rawStore, storeWatch } = await openWatchedStore(hostContext, clock, {
    keys: subjectKeys,
    gatherMs,
  });
  const agreed = createAgreedClock(clock, configuration.clockOffsetMs);
  const leases = await openLeases(configuration, logger, agreed);
  shutdown.add("leases", () => leases.close());
  const clockWatch = await watchClock(hostContext, rawStore, {
    clock,
    agreed,
    newestEventAt: await opened.lastTime?.(),
  });
  watchKeyLosses(hostContext, rawStore, { clock, keys: subjectKeys });
  const sharing = { keys: subjectKeys, leases };
  finishErasures(hostContext, rawStore, sharing);
  const isTimeTrusted = () => clockWatch.isTrusted() && storeWatch.state() === "reachable";
  endRetentionTerms(hostContext, rawStore, { ...sharing, clock: agreed.clock, isTimeTrusted });
  const traceable = traceAppends(rawStore, hostContext.tracing);
  const secretsStore = sealPersonalData(traceable, subjectKeys, "secrets-too");
  const traced = defined({ tracing: hostContext.tracing });
  const requests = createRequestCommands({ store: secretsStore, recordedBy: "account-service", ...traced });
  return {
    clock,
    agreedClock: agreed.clock,
    ids: randomIds,
    logger,
    tracing: hostContext.tracing,
    store: sealPersonalData(traceable, subjectKeys),
    secretsStore,
    rawStore,
    subjectKeys,
    leases,
    installation: createInstallation({
      commands: createCommandHandler({ store: rawStore, recordedBy: "providers" }),
      clock,
      ids: randomIds,
    }),
    breakers: createProviderBreakers(hostContext.metrics, clock),
    clockWatch,
    storeWatch,
    refusesWrites: () => storeWatch.state() !== "reachable",
    isTimeTrusted,
    instanceId: randomIds.uuid(),
    tokensOf,
    ...callersOf(rawStore, clock, { configuration, staffCredential }),
    requests,
    claimOf: createRequestClaims({ requests, clock: agreed.clock }),
    readModels: (service) => readModelsOf(configuration, service),
  };
}

/** Returns the identification of callers: members of staff and internal teams. */
function callersOf(
  store: EventStore,
  clock: Clock,
  {
    configuration,
    staffCredential,
  }: { readonly configuration: Configuration; readonly staffCredential: string },
): Pick<ServiceContext, "staff" | "teams"> {
  const commands = createCommandHandler({ store, recordedBy: "staff" });
  return {
    staff: createStaffMembers({
      commands,
      clock,
      ids: randomIds,
      bootstrapToken: staffCredential,
      isRecovering: configuration.staffRecovery === "on",
    }),
    teams: createServiceCredentials({ commands, clock, ids: randomIds }),
  };
}

/** Opens the store, and compares it with the events that this process has seen, before anything else reads it. */
async function openWatchedStore(
  hostContext: HostContext,
  clock: Clock,
  { keys, gatherMs }: { readonly keys: WatchedKeys; readonly gatherMs: number | undefined },
): Promise<{ readonly opened: EventStore; readonly rawStore: EventStore; readonly storeWatch: StoreWatch }> {
  const { configuration, decorate, logger, shutdown } = hostContext;
  const { data, eventStore } = configuration;
  const lineage = new Lineage({
    timing: clock,
    onRewound: (lost, wasOpen) => {
      watch.onRewound(lost, wasOpen);
    },
  });
  const opened = await openEventStore(hostContext, clock, { gatherMs, continuity: lineage });
  shutdown.add("event store", () => opened.close());
  lineage.attach(opened);
  // Before the watch stores anything: an emptied store would no longer look empty.
  await compareStoreMarks(hostContext, opened, { clock, keys });
  const watch = createStoreWatch({
    store: opened,
    lineage,
    file: join(data, dataFiles.seenEvents),
    storeFile: eventStore === "embedded" ? join(data, dataFiles.events) : undefined,
    signedEvents: () => signedEventsIn(data),
    clock,
    ids: randomIds,
    logger,
  });
  await watch.open();
  const following = supervise("store watch", (signal) => watch.follow(signal), { logger });
  const keeping = supervise("seen events", (signal) => watch.keep(signal), { logger });
  shutdown.add("store watch", async () => {
    await Promise.all([following.stop(), keeping.stop()]);
  });
  const claimed = await claimStore(hostContext, opened, { clock, keys });
  const guarded = guardLineage(claimed, lineage);
  return { opened, rawStore: decorate?.store?.(guarded) ?? guarded, storeWatch: watch };
}

/** Starts before the first append of this process, because its own events say nothing about earlier times. */
async function watchClock(
  { configuration, logger, shutdown }: HostContext,
  store: EventStore,
  {
    agreed,
    ...clocks
  }: {
    readonly clock: Clock;
    readonly agreed: Pick<AgreedClock, "expectedMilliseconds">;
    readonly newestEventAt: string | undefined;
  },
): Promise<ClockWatch> {
  const watch = await openClockWatch({
    store,
    ...clocks,
    isMovedAhead: configuration.clockOffsetMs > 0,
    expectedMilliseconds: agreed.expectedMilliseconds,
    ids: randomIds,
    logger,
  });
  const watching = supervise("clock watch", (signal) => watch.run(signal), { logger });
  shutdown.add("clock watch", () => watching.stop());
  return watch;
}

/** The staff credential in force, also in the file where the local command line looks for it. */
export function staffCredentialOf({ adminToken, data }: Configuration): string {
  const path = join(data, "admin.token");
  if (adminToken?.startsWith(staffTokenPrefix) === true)
    throw new ConfigurationError([
      "HOSTLEDGER_ADMIN_TOKEN is a person's token (hls_…), which is for commands only: give the instance a token of its own.",
    ]);
  if (adminToken === undefined) return secretFile(path, () => randomIds.secret(32));
  try {
    writeFileAtomically(path, `${adminToken}\n`, 0o600);
  } catch (error) {
    // ServiceContext that share the directory may write the same credential at the same moment: one of them finishes.
    if (!["ENOENT", "EEXIST"].includes(errorCodeOf(error) ?? "")) throw error;
  }
  return adminToken;
}

/** Opens leases: processes with a shared PostgreSQL use it for leases and for the time. */
async function openLeases(
  configuration: Configuration,
  logger: Logger,
  agreed: Pick<AgreedClock, "observe">,
): Promise<Leases> {
  const { database, startTimeoutMs } = configuration;
  if (database === "sqlite") return createLocalLeases();
  // A process that has the store to itself has one clock, by which its events are stamped.
  const heard = isShared(configuration) ? { onServerTime: agreed.observe } : {};
  return retry(() => openPostgresLeases({ url: database, logger, ...heard }), {
    backoff: startBackoff(startTimeoutMs),
  });
}

function readModelsOf({ database, data }: Configuration, service: string): ReadModelLocation {
  if (database !== "sqlite") return { kind: "postgres", url: database };
  const directory = join(data, "read-models");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return { kind: "sqlite", path: join(directory, `${service}.sqlite`) };
}
