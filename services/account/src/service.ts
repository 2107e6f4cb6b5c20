import { codecOfCategory } from "@hostledger/core";
import {
  accountRecorder,
  createIdSequence,
  createAccountQuotas,
  createQuotaCommands,
  type CommandHandler,
} from "@hostledger/store";
import { createProjector, openReadModels, type Projector } from "@hostledger/read";
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

export interface AccountService {
  /** Routes for customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** Routes for the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  readonly commands: Pick<CommandHandler, "statistics">;
  close(): Promise<void>;
}

export async function startAccountService(options: AccountServiceOptions): Promise<AccountService> {
  const { accounts, store, rawStore, clock, ids, logger, readModels, subjectKeys, requests } = options;
  const { isAlive, takeOverAfterMs = 0, approvalCents = 0n, agreedClock = clock } = options;
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
  const { commands } = accounts;
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
      await dependencies.keyUses.close();
      await database.close();
    },
  };
}
