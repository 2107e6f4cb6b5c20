import { codecOfCategory } from "@hostledger/core";
import {
  createAccountQuotas,
  createCommandHandler,
  createIdSequence,
  type CommandHandler,
  type EventStore,
} from "@hostledger/store";
import {
  createProjector,
  createReadAfter,
  onceReady,
  openReadModels,
  type Projector,
} from "@hostledger/read";
import { admin, support } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, supervise } from "@hostledger/runtime";

import { createCauseWorker } from "./effects/cause-worker.ts";
import { checkNames } from "./effects/name-check.ts";
import { prepareNotices, type NotifyingSchema } from "./notices/prepare-notices.ts";
import type { SupportDependencies, SupportServiceOptions } from "./dependencies.ts";
import { allStreams } from "./reads/all-streams.projection.ts";
import { customers } from "./reads/customers.projection.ts";
import { supportSubscriptionCodec } from "./reads/support.subscription.ts";
import { notices } from "./reads/notices.projection.ts";
import type { SupportSchema } from "./reads/support.tables.ts";
import { ticketCauses } from "./reads/ticket-causes.projection.ts";
import { tickets } from "./reads/tickets.projection.ts";
import { openedQueries } from "./reads/opened.queries.ts";
import { supportQueries } from "./reads/support.queries.ts";
import { supportAdminRpc } from "./rpc/support-admin.rpc.ts";
import { supportRpc } from "./rpc/support.rpc.ts";
import { createTicketDesk } from "./effects/ticket-desk.ts";

export interface SupportService {
  /** For customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** For the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  /** Statistics of the decided commands. */
  readonly commands: Pick<CommandHandler, "statistics">;
  close(): Promise<void>;
}

const recordedBy = "support-service";

/** Ids are seen by customers: small ones come in small blocks. */
const idBlockSize = 100;

/** Puts the support service together and starts its workers. */
export async function startSupportService(options: SupportServiceOptions): Promise<SupportService> {
  const { store, rawStore, subjectKeys, clock, ids, logger, readModels, codecOf = codecOfCategory } = options;
  const traced = defined({ tracing: options.tracing });
  const models = { location: readModels, service: "support", logger };
  const database = await openReadModels<SupportSchema & NotifyingSchema>(models);
  const projector = await createProjector({
    store: rawStore,
    database,
    codec: supportSubscriptionCodec,
    codecOf,
    projections: [tickets, customers, ticketCauses, notices, allStreams],
    timing: clock,
    logger,
    ...traced,
  });
  const commands = createCommandHandler({ store, recordedBy, ...traced });
  const queriesOf = (tables: typeof database) => openedQueries(supportQueries(tables), subjectKeys);
  const queries = queriesOf(database);
  const sequence = (name: string) =>
    createIdSequence({ commands, name, blockSize: idBlockSize, newCommandId: () => ids.uuid() });
  const desk = createTicketDesk({
    commands,
    clock,
    ticketIds: sequence("ticket"),
    commentIds: sequence("comment"),
  });
  const causes = createCauseWorker({ desk, queries, logger, clock });
  const projecting = supervise("support projections", (signal) => projector.run(signal), { logger });
  const following = (name: string, work: (signal: AbortSignal) => Promise<void>) =>
    supervise(name, onceReady(projector, work), { logger });
  const checking = following("names of customers", (signal) => checkNames(queries, clock, signal));
  const webhookIds = sequence("webhook");
  const shown = () => caughtUp(projector, rawStore);
  const given = { ...options, database, commands, webhookIds, causes, caughtUp: shown };
  const { webhooks, run } = await prepareNotices(given);
  const notifying = following("tickets and notices", run);
  const dependencies: SupportDependencies = {
    store: rawStore,
    commands,
    clock,
    projector,
    readAfter: createReadAfter({
      projector,
      store: rawStore,
      codec: supportSubscriptionCodec,
      codecOf,
      // Customers are not in a ticket's stream; their names are read from the read model, also where it lags.
      projections: [tickets, customers],
      database,
      queriesOf,
    }),
    queries,
    desk,
    quotas: createAccountQuotas({ store, recordedBy, clock, ids }),
    webhooks,
  };
  return {
    routes: [implement(support.SupportService, supportRpc(dependencies))],
    staffRoutes: [implement(admin.SupportAdminService, supportAdminRpc(dependencies))],
    projector,
    commands,
    async close() {
      await Promise.all([checking.stop(), notifying.stop()]);
      await projecting.stop();
      await database.close();
    },
  };
}

/** Waits a few seconds at most until the read models show everything that is stored now. */
async function caughtUp(projector: Projector, store: EventStore): Promise<void> {
  const last = await store.lastPosition();
  if (last !== undefined) await projector.after(last, { isUrgent: false });
}
