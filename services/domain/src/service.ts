import { codecOfCategory } from "@hostledger/core";
import {
  createAccountQuotas,
  createCommandHandler,
  createIdSequence,
  createInstallation,
  type CommandHandler,
} from "@hostledger/store";
import {
  comparisonWork,
  failureReports,
  lastComparison,
  openWorkEngine,
  type WorkEngine,
} from "@hostledger/work";
import {
  createProjector,
  createReadAfter,
  onceReady,
  openReadModels,
  type Projector,
  type ReadModelDatabase,
} from "@hostledger/read";
import { admin, domain } from "@hostledger/protocol";
import { reportingFailures, type Registrar } from "@hostledger/providers";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, supervise, type Clock } from "@hostledger/runtime";

import type { ChangeProviders } from "./effects/change.effects.ts";
import { createDelivery, type Delivery } from "./effects/delivery.ts";
import { createDomainChanges, type DomainChanges } from "./effects/domain-changes.ts";
import { createDomainDrift, type DomainDrift } from "./effects/domain-drift.ts";
import type { DomainDependencies, DomainServiceOptions } from "./dependencies.ts";
import {
  createRegistrations,
  createRenewalRuns,
  createTransferRuns,
  type DomainRunsOptions,
  type Registrations,
  type RenewalRuns,
  type TransferRuns,
} from "./effects/domain-runs.ts";
import { createRenewals, type Renewals } from "./effects/renewals.ts";
import { createRegistrants } from "./effects/registrants.ts";
import { routeRegistrarsByDomain } from "./effects/registrars.ts";
import { domainSuspensionWork } from "./effects/domain-suspension.effects.ts";
import { domainTermWork } from "./effects/domain-term.effects.ts";
import { createRegistrarRounds, type RegistrarRounds } from "./effects/registrar-rounds.ts";
import { createRegistryMessages, type RegistryMessages } from "./effects/registry-messages.ts";
import { domainSubscriptionCodec } from "./reads/domain.subscription.ts";
import type { DomainSchema } from "./reads/domain.tables.ts";
import { domains } from "./reads/domains.projection.ts";
import { prices } from "./reads/prices.projection.ts";
import { processRuns } from "./reads/process-runs.projection.ts";
import { domainWork } from "./reads/work.projection.ts";
import { domainQueries, type DomainQueries } from "./reads/domain.queries.ts";
import { holdingQueries } from "./reads/holding.queries.ts";
import { domainAdminRpc } from "./rpc/domain-admin.rpc.ts";
import { domainRpc } from "./rpc/domain.rpc.ts";

export interface DomainService {
  /** For customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** For the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  /** Statistics of the decided commands. */
  readonly commands: Pick<CommandHandler, "statistics">;
  /** The runs that have not ended, for the metrics. */
  readonly runFigures: DomainQueries["runFigures"];
  /** Does at once what is due; without a call it is done within a second. */
  readonly work: Pick<WorkEngine, "runDue">;
  /** Asks whether the registrar still holds the domains. Runs on its own; tests run it at once. */
  readonly registrarRounds: Pick<RegistrarRounds, "runRound">;
  /** Returns the result of the last comparison with the providers, for the metrics. */
  lastComparison(): ReturnType<typeof lastComparison>;
  /** Reads poll messages of registries. Runs on its own; tests run it at once. */
  readonly registryMessages: Pick<RegistryMessages, "runRound">;
  close(): Promise<void>;
}

const recordedBy = "domain-service";
const idBlockSize = 1_000;

/** Puts the domain service together, starts its workers and takes over the runs that a dead owner left. */
export async function startDomainService(options: DomainServiceOptions): Promise<DomainService> {
  const { accounts, store, rawStore, clock, ids, logger, readModels, sandbox, settings } = options;
  const { agreedClock = clock } = options;
  const traced = defined({ tracing: options.tracing });
  const database = await openReadModels<DomainSchema>({ location: readModels, service: "domain", logger });
  const projector = await createProjector({
    store: rawStore,
    database,
    codec: domainSubscriptionCodec,
    codecOf: codecOfCategory,
    projections: [domains, prices, processRuns, domainWork],
    logger,
    timing: clock,
    ...traced,
  });
  const projecting = supervise("domain projections", (signal) => projector.run(signal), { logger });
  const commands = createCommandHandler({ store, recordedBy, ...traced });
  const sequence = (name: string) =>
    createIdSequence({ commands, name, blockSize: idBlockSize, newCommandId: () => ids.uuid() });
  const queries = domainQueries(database);
  const recordIds = sequence("dnsrecord");
  const { registrars, dns } = tellingProviders(options, commands, agreedClock);
  const quotas = createAccountQuotas({ store, recordedBy, clock, ids });
  const given = { commands, clock, agreedClock, registrars, dns, accounts, settings, recordIds, quotas };
  const work = await createWork(options, { ...given, queries, database });
  const { engine, registrarRounds, registryMessages, ...used } = work;
  const stopWork = startWork(work, projector, options);
  const dependencies: DomainDependencies = {
    ...given,
    store,
    ids,
    projector,
    readAfter: createReadAfter({
      projector,
      store: rawStore,
      codec: domainSubscriptionCodec,
      codecOf: codecOfCategory,
      projections: [domains],
      database,
      queriesOf: domainQueries,
    }),
    queries,
    registrants: createRegistrants(accounts),
    sandbox,
    ...used,
    work: engine,
    installation: createInstallation({ commands, clock, ids }),
    domainIds: sequence("domain"),
  };
  return {
    routes: [implement(domain.DomainService, domainRpc(dependencies))],
    staffRoutes: [implement(admin.DomainAdminService, domainAdminRpc(dependencies))],
    projector,
    commands,
    runFigures: () => queries.runFigures(),
    work: engine,
    registrarRounds,
    registryMessages,
    lastComparison: () => lastComparison(commands, "domains"),
    async close() {
      await stopWork();
      await projecting.stop();
      await database.close();
    },
  };
}

/** Wraps the providers: logs each failed call, and opens a staff ticket if staff must act. */
function tellingProviders(
  { registrar, otherRegistrars = [], dns, clock, logger }: DomainServiceOptions,
  commands: CommandHandler,
  agreedClock: Clock,
) {
  const report = failureReports({ commands, clock, logger, recordedBy });
  const reporting = (each: Registrar) => reportingFailures(each, each.name, report);
  const all = [reporting(registrar), ...otherRegistrars.map(reporting)] as const;
  return {
    registrars: routeRegistrarsByDomain(commands, agreedClock, all),
    dns: reportingFailures(dns, "dns", report),
  };
}

/** The work of this service that needs no request. */
interface Work {
  readonly registrations: Registrations;
  readonly renewalRuns: RenewalRuns;
  readonly transferRuns: TransferRuns;
  readonly changes: DomainChanges;
  readonly delivery: Delivery;
  readonly renewals: Renewals;
  readonly engine: WorkEngine;
  readonly registrarRounds: RegistrarRounds;
  readonly drift: DomainDrift;
  readonly registryMessages: RegistryMessages;
}

type Parts = Pick<DomainRunsOptions, "commands" | "clock" | "accounts" | "quotas"> &
  ChangeProviders & {
    readonly agreedClock: Clock;
    readonly queries: DomainQueries;
    readonly database: ReadModelDatabase<DomainSchema>;
  };

const defaultQuietMs = 10_000;

async function createWork(options: DomainServiceOptions, { database, ...given }: Parts): Promise<Work> {
  const { store, ids, logger, settings, quietMs = defaultQuietMs } = options;
  const { activeRegistrations: activeLimit, changeWaitLimitMs: waitLimitMs, workIntervalMs } = options;
  const parts = {
    ...given,
    store,
    ids,
    logger,
    settings,
    recordedBy,
    chargesAs: "service:domain",
    quietMs,
    ...defined({ leases: options.leases, tracing: options.tracing }),
  };
  const shared = { ...parts, engine: () => engine };
  const renewalRuns = createRenewalRuns(shared);
  const fallbackYearNetCents = settings.fallbackRenewalPriceCents;
  const renewals = createRenewals({ ...parts, runs: renewalRuns, fallbackYearNetCents });
  const registrations = createRegistrations({ ...shared, ...defined({ activeLimit }) });
  const transferRuns = createTransferRuns(shared);
  const changes = createDomainChanges({ ...shared, ...defined({ waitLimitMs }) });
  const delivery = createDelivery(shared);
  const drift = createDomainDrift({ ...parts, changes, queries: holdingQueries(database) });
  const registryMessages = createRegistryMessages({
    ...parts,
    drift,
    registrations,
    renewalRuns,
    transferRuns,
  });
  const registrarRounds = createRegistrarRounds({
    ...parts,
    queries: holdingQueries(database),
    checksPerMinute: options.registrarChecksPerMinute ?? 0,
  });
  const { comparisonHours: everyHours = 0, isTimeTrusted } = options;
  const compare = (signal: AbortSignal) => drift.reconcile(false, signal);
  const comparison = comparisonWork({ ...parts, part: "domains", everyHours, compare });
  const engine: WorkEngine = await openWorkEngine({
    ...parts,
    database,
    kinds: [
      registrations.work,
      renewalRuns.work,
      transferRuns.work,
      domainTermWork({ ...parts, renewals }),
      domainSuspensionWork(parts),
      changes.work,
      delivery.work,
      ...registrarRounds.work,
      ...registryMessages.work,
      ...(everyHours === 0 ? [] : [comparison]),
    ],
    lease: "lifecycle-domain",
    isTimeTrusted,
    intervalMs: workIntervalMs,
  });
  const runs = { registrations, renewalRuns, transferRuns };
  return { ...runs, changes, drift, delivery, renewals, engine, registryMessages, registrarRounds };
}

/** Goes on until the signal aborts. */
type Run = (signal: AbortSignal) => Promise<void>;

/**
 * Begins the work that needs no request, after the read models are open.
 * @returns the function that ends the work.
 */
function startWork(
  work: Work,
  projector: Projector,
  { logger }: Pick<DomainServiceOptions, "logger">,
): () => Promise<void> {
  const { registrations, renewalRuns, transferRuns, changes, engine } = work;
  const begin = (name: string, work: Run) => supervise(name, onceReady(projector, work), { logger });
  const ordering = begin("paid orders", (signal) => engine.runInEveryProcess(signal));
  const living = begin("domain work", (signal) => engine.run(signal));
  return async () => {
    changes.stop();
    // All at once: the work on domains waits for its renewals.
    const parts = [living, ordering, registrations, renewalRuns, transferRuns, engine];
    await Promise.all(parts.map((each) => each.stop()));
  };
}
