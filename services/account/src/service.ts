import { codecOfCategory } from "@hostledger/core";
import {
  createCommandHandler,
  createIdSequence,
  createAccountQuotas,
  createQuotaCommands,
  openSqliteSnapshots,
  type CommandHandler,
} from "@hostledger/event-store";
import { sealSnapshots } from "@hostledger/personal-data";
import { createProjector, openReadModels, type Projector } from "@hostledger/projections";
import { account, admin } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, supervise } from "@hostledger/runtime";

import type { AccountDependencies, AccountServiceOptions } from "./dependencies.ts";
import { accountSubscriptionCodec } from "./reads/account.subscription.ts";
import type { AccountSchema } from "./reads/account.tables.ts";
import { apiKeys } from "./reads/api-keys.projection.ts";
import { holdings } from "./reads/holdings.projection.ts";
import { invoices } from "./reads/invoices.projection.ts";
import { profiles } from "./reads/profiles.projection.ts";
import { accountQueries } from "./reads/account.queries.ts";
import { createKeyUses, type KeyUseSchema } from "./reads/key-uses.ts";
import { accountAdminRpc } from "./rpc/account-admin.rpc.ts";
import { accountRpc } from "./rpc/account.rpc.ts";
import { idempotencyRpc } from "./rpc/idempotency.rpc.ts";

/** The account service at work. */
export interface AccountService {
  /** For customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** For the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  /** Counts what is decided. */
  readonly commands: Pick<CommandHandler, "statistics">;
  close(): Promise<void>;
}

const recordedBy = "account-service";

/** Puts the account service together and starts its workers. */
export async function startAccountService(options: AccountServiceOptions): Promise<AccountService> {
  const { store, rawStore, clock, ids, logger, readModels, subjectKeys, requests } = options;
  const { isAlive, snapshotFile, takeOverAfterMs = 0, approvalCents = 0n, agreedClock = clock } = options;
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
    projections: [apiKeys, invoices, profiles, holdings],
    timing: clock,
    logger,
    ...traced,
  });
  const projecting = supervise("account projections", (signal) => projector.run(signal), { logger });
  const snapshots =
    snapshotFile === undefined
      ? undefined
      : sealSnapshots(openSqliteSnapshots({ path: snapshotFile }), subjectKeys);
  const onIgnored = (stream: string, error: unknown): void => {
    logger.warn({ stream, err: error }, "a snapshot was left out: its stream is folded whole");
  };
  const written = { store, recordedBy, ...traced };
  const commands = createCommandHandler({
    ...written,
    ...defined({ snapshots: snapshots && { snapshots, onIgnored } }),
  });
  const sequence = (name: string, blockSize: number) =>
    createIdSequence({ commands, name, blockSize, newCommandId: () => ids.uuid() });
  const dependencies: AccountDependencies = {
    store,
    commands,
    requests,
    clock,
    ids,
    projector,
    queries: accountQueries(database),
    keyUses: createKeyUses(database, logger),
    accountIds: sequence("account", 1),
    invoiceIds: sequence("invoice", 1_000),
    keyIds: sequence("apikey", 1),
    quotas: createQuotaCommands({ store, recordedBy }),
    dailyQuotas: createAccountQuotas({ store, recordedBy, clock, ids }),
    subjectKeys,
    approvalCents,
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
    async close() {
      await projecting.stop();
      await snapshots?.close();
      await dependencies.keyUses.close();
      await database.close();
    },
  };
}
