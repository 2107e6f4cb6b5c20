import { codecOfCategory, journalRetentionYears } from "@hostledger/core";
import {
  accountRecorder,
  createIdSequence,
  createAccountQuotas,
  createQuotaCommands,
  type CommandHandler,
} from "@hostledger/store";
import {
  createProjector,
  onceReady,
  openReadModels,
  type Projector,
  type ReadModelDatabase,
} from "@hostledger/read";
import { account, admin } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, supervise } from "@hostledger/runtime";
import { openWorkEngine, type WorkEngine } from "@hostledger/work";

import type { AccountDependencies, AccountServiceOptions } from "./dependencies.ts";
import { vatIdWork } from "./effects/vat-id.effects.ts";
import { accountSubscriptionCodec } from "./reads/account.subscription.ts";
import type { AccountSchema } from "./reads/account.tables.ts";
import { apiKeys } from "./reads/api-keys.projection.ts";
import { holdings } from "./reads/holdings.projection.ts";
import { invoices } from "./reads/invoices.projection.ts";
import { profiles } from "./reads/profiles.projection.ts";
import { accountWork } from "./reads/work.projection.ts";
import { accountQueries } from "./reads/account.queries.ts";
import { createKeyUses, type KeyUseSchema } from "./reads/key-uses.ts";
import { accountAdminRpc } from "./rpc/account-admin.rpc.ts";
import { accountRpc } from "./rpc/account.rpc.ts";
import { idempotencyRpc } from "./rpc/idempotency.rpc.ts";

export interface AccountService {
  /** Routes for customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** Routes for the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  readonly commands: Pick<CommandHandler, "statistics">;
  /** Does at once what is due; by itself it is done within a second. */
  readonly work: Pick<WorkEngine, "runDue">;
  close(): Promise<void>;
}

export async function startAccountService(options: AccountServiceOptions): Promise<AccountService> {
  const { accounts, store, rawStore, clock, ids, logger, readModels, subjectKeys, requests } = options;
  const {
    isAlive,
    takeOverAfterMs = 0,
    approvalCents = 0n,
    agreedClock = clock,
    retainedJournalYears = journalRetentionYears,
  } = options;
  const traced = defined({ tracing: options.tracing });
  const database = await openReadModels<AccountSchema & KeyUseSchema>({
    location: readModels,
    service: "account",
    logger,
  });
  const projector = await createProjector({
    store: rawStore,
    database,
    codec: accountSubscriptionCodec,
    codecOf: options.codecOf ?? codecOfCategory,
    projections: [apiKeys, invoices, profiles, holdings, accountWork],
    timing: clock,
    logger,
    ...traced,
  });
  const projecting = supervise("account projections", (signal) => projector.run(signal), { logger });
  const { commands } = accounts;
  const { engine, stopWork } = await startWork(options, database, projector);
  const sequence = (name: string) =>
    createIdSequence({ commands, name, blockSize: 1, newCommandId: () => ids.uuid() });
  const dependencies: AccountDependencies = {
    store,
    accounts,
    commands,
    requests,
    clock,
    ids,
    projector,
    queries: accountQueries(database),
    keyUses: createKeyUses(database, logger),
    accountIds: sequence("account"),
    keyIds: sequence("apikey"),
    quotas: createQuotaCommands({ store, recordedBy: accountRecorder }),
    dailyQuotas: createAccountQuotas({ store, recordedBy: accountRecorder, clock, ids }),
    subjectKeys,
    approvalCents,
    retainedJournalYears,
  };
  return {
    routes: [
      implement(account.AccountService, accountRpc(dependencies)),
      implement(
        account.IdempotencyService,
        idempotencyRpc({ requests, clock: agreedClock, ids, isAlive, takeOverAfterMs }),
      ),
    ],
    staffRoutes: [implement(admin.AccountAdminService, accountAdminRpc(dependencies))],
    projector,
    commands,
    work: engine,
    async close() {
      await stopWork();
      await projecting.stop();
      await dependencies.keyUses.close();
      await database.close();
    },
  };
}

/** Begins what needs no request, once the read models are there. Under the flat rule that is nothing. */
async function startWork(
  { accounts, clock, ids, logger, vatIds, leases, isTimeTrusted, workIntervalMs }: AccountServiceOptions,
  database: ReadModelDatabase<AccountSchema & KeyUseSchema>,
  projector: Projector,
): Promise<{ readonly engine: WorkEngine; readonly stopWork: () => Promise<void> }> {
  const kinds = vatIds === undefined ? [] : [vatIdWork({ ...vatIds, accounts, clock, ids, logger })];
  const engine = await openWorkEngine({
    database,
    kinds,
    clock,
    logger,
    lease: "lifecycle-account",
    leases,
    isTimeTrusted,
    intervalMs: workIntervalMs,
  });
  if (kinds.length === 0) return { engine, stopWork: () => engine.stop() };
  const working = supervise(
    "account work",
    onceReady(projector, (signal) => engine.run(signal)),
    { logger },
  );
  return {
    engine,
    async stopWork() {
      const resting = working.stop();
      await engine.stop();
      await resting;
    },
  };
}
