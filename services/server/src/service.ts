import { codecOfCategory, terminationDaysLimits } from "@hostledger/core";
import {
  createAccountQuotas,
  createCommandHandler,
  createIdSequence,
  createInstallation,
  type CommandHandler,
} from "@hostledger/store";
import {
  comparisonWork,
  failedAttempt,
  failureReports,
  lastComparison,
  openWorkEngine,
  runRoundMs,
  type WorkCounts,
  type WorkEngine,
} from "@hostledger/work";
import {
  createProjector,
  createReadAfter,
  onceReady,
  openReadModels,
  type Projector,
  type ReadAfter,
  type ReadModelDatabase,
} from "@hostledger/read";
import { admin, server } from "@hostledger/protocol";
import { reportingFailures, type Compute } from "@hostledger/providers";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, supervise, type SupervisedTask } from "@hostledger/runtime";

import type { ServerDependencies, ServerServiceOptions } from "./dependencies.ts";
import { createServerDrift, type ServerDriftOptions } from "./effects/server-drift.ts";
import { nodesOn, nodeStep, serverNodeWork } from "./effects/server-node.effects.ts";
import { serverTermWork } from "./effects/server-term.effects.ts";
import {
  createServerOrders,
  createServerRenewals,
  type ServerRenewals,
  type ServerRunsOptions,
} from "./effects/server-runs.ts";
import { plans } from "./reads/plans.projection.ts";
import { processRuns } from "./reads/process-runs.projection.ts";
import { regions } from "./reads/regions.projection.ts";
import { serverSubscriptionCodec } from "./reads/server.subscription.ts";
import type { ServerSchema } from "./reads/server.tables.ts";
import { servers } from "./reads/servers.projection.ts";
import { stock } from "./reads/stock.projection.ts";
import { serverWork } from "./reads/work.projection.ts";
import { serverQueries, type ServerQueries } from "./reads/server.queries.ts";
import { catalogueRpc } from "./rpc/catalogue.rpc.ts";
import { serverAdminRpc } from "./rpc/server-admin.rpc.ts";
import { serverMessages } from "./rpc/server.message.ts";
import { serverRpc } from "./rpc/server.rpc.ts";

export interface ServerService {
  /** Routes for customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** Routes for the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  readonly commands: Pick<CommandHandler, "statistics">;
  /** Numbers of unfinished runs, for metrics. */
  readonly runFigures: ServerQueries["runFigures"];
  /** Runs due work at once. @returns number of steps on paid terms. */
  runDueWork(): Promise<number>;
  /** Result of the last comparison with the provider, for metrics. */
  lastComparison(): ReturnType<typeof lastComparison>;
  /** Checks every node at once and corrects differences from the events. */
  inspectNodes(): Promise<void>;
  /** Waits for running steps, then stops. Unfinished runs continue at the next start. */
  close(): Promise<void>;
}

const recordedBy = "server-service";

/** Ids reserved at a time; small because customers see gaps between ids. */
const idBlockSize = 100;

const defaultQuietMs = 10_000;

/** Creates the server service, starts its workers and takes over runs of dead owners. */
export async function startServerService(given: ServerServiceOptions): Promise<ServerService> {
  const { store, clock, ids, logger, readModels, tracing } = given;
  const commands = createCommandHandler({ store, recordedBy, ...defined({ tracing }) });
  const compute = tellingCompute(given, commands);
  const options = { ...given, compute };
  const { terminationDays = terminationDaysLimits.default, agreedClock = clock } = options;
  const database = await openReadModels<ServerSchema>({ location: readModels, service: "server", logger });
  const projector = await projectorOf(options, database);
  const queries = serverQueries(database);
  const installation = createInstallation({ commands, clock, ids });
  const runs = await createRuns(options, { commands, installation, queries, database });
  const { orders, orderEngine, quotas, renewals } = runs;
  const parts = { commands, installation, projector, queries, database, renewals };
  const { engine, nodes, drift } = await createWork(options, parts);
  const projecting = supervise("server projections", (signal) => projector.run(signal), { logger });
  const workers = startWorkers(options, { projector, orderEngine, engine });
  const sequence = (name: string) =>
    createIdSequence({ commands, name, blockSize: idBlockSize, newCommandId: () => ids.uuid() });
  const dependencies: ServerDependencies = {
    store,
    commands,
    clock,
    agreedClock,
    projector,
    readAfter: readAfterOf(projector, store, database),
    queries,
    compute,
    accounts: options.accounts,
    nodes,
    drift,
    orders,
    renewals,
    installation,
    serverIds: sequence("server"),
    planIds: sequence("plan"),
    regionIds: sequence("region"),
    quotas,
    serverMessage: serverMessages(terminationDays),
  };
  return {
    routes: [
      implement(server.ServerService, serverRpc(dependencies)),
      implement(server.CatalogueService, catalogueRpc(dependencies)),
    ],
    staffRoutes: [implement(admin.ServerAdminService, serverAdminRpc(dependencies))],
    projector,
    commands,
    runFigures: () => queries.runFigures(),
    runDueWork: async () => stepsIn(await engine.runDue()),
    lastComparison: () => lastComparison(commands, "servers"),
    async inspectNodes() {
      await engine.wake({ kind: "server-node" });
      await engine.runDue();
    },
    async close() {
      const stopped = [...workers, orders, renewals, orderEngine];
      await Promise.all(stopped.map((each) => each.stop()));
      await engine.stop();
      await projecting.stop();
      await database.close();
    },
  };
}

function stepsIn(counts: WorkCounts): number {
  return counts
    .entries()
    .filter(([step]) => step !== failedAttempt && step !== nodeStep)
    .reduce((sum, [, count]) => sum + count, 0);
}

/** Wraps the compute provider to log failed calls and report them to staff if necessary. */
function tellingCompute({ compute, clock, logger }: ServerServiceOptions, commands: CommandHandler): Compute {
  return reportingFailures(compute, "compute", failureReports({ commands, clock, logger, recordedBy }));
}

function startWorkers(
  { logger }: ServerServiceOptions,
  parts: {
    readonly projector: Projector;
    readonly orderEngine: WorkEngine;
    readonly engine: WorkEngine;
  },
): readonly SupervisedTask[] {
  const { orderEngine, engine } = parts;
  const worker = workersAfter(parts.projector, logger);
  return [
    worker("paid orders", (signal) => orderEngine.run(signal)),
    worker("server work", (signal) => engine.run(signal)),
  ];
}

/** Creates the background work, and the parts that requests share with it. */
async function createWork(
  options: ServerServiceOptions,
  given: Pick<ServerDriftOptions, "commands" | "installation" | "projector" | "queries"> & {
    readonly database: ReadModelDatabase<ServerSchema>;
    readonly renewals: ServerRenewals;
  },
): Promise<Pick<ServerDependencies, "drift" | "nodes"> & { readonly engine: WorkEngine }> {
  const { comparisonHours: everyHours = 0, terminationDays = terminationDaysLimits.default } = options;
  const parts = { ...options, ...given, terminationDays };
  const nodes = nodesOn(() => engine);
  const drift = createServerDrift({ ...parts, nodes });
  const compare = (signal: AbortSignal) => drift.reconcile(false, signal);
  const comparison = comparisonWork({ ...parts, part: "servers", everyHours, compare });
  const kinds = [serverTermWork(parts), serverNodeWork(parts), ...(everyHours === 0 ? [] : [comparison])];
  const engine: WorkEngine = await openWorkEngine({ ...parts, kinds, lease: "lifecycle-server" });
  return { drift, nodes, engine };
}

function workersAfter(projector: Projector, logger: ServerServiceOptions["logger"]) {
  return (name: string, run: (signal: AbortSignal) => Promise<void>) =>
    supervise(name, onceReady(projector, run), { logger });
}

function projectorOf(
  { store, clock, logger, tracing }: ServerServiceOptions,
  database: ReadModelDatabase<ServerSchema>,
): Promise<Projector> {
  return createProjector({
    store,
    database,
    codec: serverSubscriptionCodec,
    codecOf: codecOfCategory,
    projections: [servers, plans, regions, stock, processRuns, serverWork],
    timing: clock,
    logger,
    ...defined({ tracing }),
  });
}

function readAfterOf(
  projector: Projector,
  store: ServerServiceOptions["store"],
  database: ReadModelDatabase<ServerSchema>,
): ReadAfter<ServerQueries> {
  return createReadAfter({
    projector,
    store,
    codec: serverSubscriptionCodec,
    codecOf: codecOfCategory,
    projections: [servers],
    database,
    queriesOf: serverQueries,
  });
}

async function createRuns(
  { activeRuns: activeLimit, quietMs = defaultQuietMs, ...options }: ServerServiceOptions,
  {
    database,
    ...parts
  }: Pick<ServerRunsOptions, "commands" | "installation" | "queries"> & {
    readonly database: ReadModelDatabase<ServerSchema>;
  },
): Promise<
  Pick<ServerDependencies, "orders" | "quotas" | "renewals"> & { readonly orderEngine: WorkEngine }
> {
  const quotas = createAccountQuotas({ ...options, recordedBy });
  const runs = {
    ...options,
    ...parts,
    quotas,
    quietMs,
    recordedBy,
    chargesAs: "service:server",
    engine: () => orderEngine,
    ...defined({ activeLimit }),
  };
  const [orders, renewals] = [createServerOrders(runs), createServerRenewals(runs)];
  const kinds = [orders.work, renewals.work];
  const orderEngine: WorkEngine = await openWorkEngine({
    ...options,
    database,
    kinds,
    intervalMs: runRoundMs,
  });
  return { quotas, orders, renewals, orderEngine };
}
