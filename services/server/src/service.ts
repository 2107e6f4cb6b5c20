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
import { defined, supervise } from "@hostledger/runtime";

import type { ServerDependencies, ServerServiceOptions } from "./dependencies.ts";
import { createServerDrift, type ServerDriftOptions } from "./effects/server-drift.ts";
import { nodesOn, nodeStep, serverNodeWork } from "./effects/server-node.effects.ts";
import { serverTermWork } from "./effects/server-term.effects.ts";
import { createServerOrders, createServerRenewals } from "./effects/server-runs.ts";
import { plans, regions, stock } from "./reads/catalogue.projections.ts";
import { processRuns } from "./reads/process-runs.projection.ts";
import { serverSubscriptionCodec } from "./reads/server.subscription.ts";
import type { ServerSchema } from "./reads/server.tables.ts";
import { servers } from "./reads/servers.projection.ts";
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
  const parts = { commands, installation, projector, queries, database };
  const { engine, nodes, drift, orders, renewals, quotas } = await createWork(options, parts);
  const projecting = supervise("server projections", (signal) => projector.run(signal), { logger });
  const worker = (name: string, run: (signal: AbortSignal) => Promise<void>) =>
    supervise(name, onceReady(projector, run), { logger });
  const ordering = worker("paid orders", (signal) => engine.runInEveryProcess(signal));
  const living = worker("server work", (signal) => engine.run(signal));
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
      await Promise.all([ordering, living, orders, renewals, engine].map((each) => each.stop()));
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

/** Creates the background work, and the parts that requests share with it. */
async function createWork(
  { activeRuns: activeLimit, ...options }: ServerServiceOptions,
  given: Pick<ServerDriftOptions, "commands" | "installation" | "projector"> & {
    readonly queries: ServerQueries;
    readonly database: ReadModelDatabase<ServerSchema>;
  },
): Promise<
  Pick<ServerDependencies, "drift" | "nodes" | "orders" | "quotas" | "renewals"> & {
    readonly engine: WorkEngine;
  }
> {
  const { comparisonHours: everyHours = 0, quietMs = defaultQuietMs } = options;
  const { terminationDays = terminationDaysLimits.default } = options;
  const quotas = createAccountQuotas({ ...options, recordedBy });
  const parts = { ...options, ...given, terminationDays, quotas, quietMs, recordedBy };
  const runs = {
    ...parts,
    chargesAs: "service:server",
    engine: () => engine,
    ...defined({ activeLimit }),
  };
  const [orders, renewals] = [createServerOrders(runs), createServerRenewals(runs)];
  const nodes = nodesOn(() => engine);
  const drift = createServerDrift({ ...parts, nodes });
  const compare = (signal: AbortSignal) => drift.reconcile(false, signal);
  const comparison = comparisonWork({ ...parts, part: "servers", everyHours, compare });
  const kinds = [
    orders.work,
    renewals.work,
    serverTermWork({ ...parts, renewals }),
    serverNodeWork(parts),
    ...(everyHours === 0 ? [] : [comparison]),
  ];
  const engine: WorkEngine = await openWorkEngine({ ...parts, kinds, lease: "lifecycle-server" });
  return { drift, engine, nodes, orders, quotas, renewals };
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
