import { codecOfCategory, journalRetentionYears } from "@hostledger/core";
import {
  accountRecorder,
  createIdSequence,
  createAccountQuotas,
  createInstallation,
  createQuotaCommands,
  type CommandHandler,
} from "@hostledger/store";
import { createProjector, openReadModels, type Projector, type ReadModelDatabase } from "@hostledger/read";
import { account, admin } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, supervise } from "@hostledger/runtime";
import { KeyedMutex } from "@hostledger/runtime/async";
import { lastComparison, type WorkEngine } from "@hostledger/work";

import type { AccountDependencies, AccountServiceOptions, RequestDependencies } from "./dependencies.ts";
import { startWork } from "./start-work.ts";
import { accountSubscriptionCodec } from "./reads/account.subscription.ts";
import type { AccountSchema } from "./reads/account.tables.ts";
import { apiKeys } from "./reads/api-keys.projection.ts";
import { holdings } from "./reads/holdings.projection.ts";
import { invoices } from "./reads/invoices.projection.ts";
import { payments } from "./reads/payments.projection.ts";
import { profiles } from "./reads/profiles.projection.ts";
import { accountWork } from "./reads/work.projection.ts";
import { accountQueries } from "./reads/account.queries.ts";
import { createKeyUses, type KeyUseSchema } from "./reads/key-uses.ts";
import { accountAdminRpc } from "./rpc/account-admin.rpc.ts";
import { accountRpc } from "./rpc/account.rpc.ts";
import { bankAdminRpc, bankFileLimits } from "./rpc/bank-admin.rpc.ts";
import { documentAdminRpc, documentRpc } from "./rpc/document-files.rpc.ts";
import { paymentNoticeRpc } from "./rpc/payment-notices.rpc.ts";
import { paymentRpc } from "./rpc/payments.rpc.ts";
import { idempotencyRpc } from "./rpc/idempotency.rpc.ts";

export interface AccountService {
  /** Routes for customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** Routes for the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  readonly commands: Pick<CommandHandler, "statistics">;
  /** Does at once what is due; without a call it is done within a second. */
  readonly work: Pick<WorkEngine, "attend" | "runDue">;
  /** Returns the result of the last comparison of the payments with their provider; undefined before the first one. */
  lastComparison(): ReturnType<typeof lastComparison>;
  /** Returns the number of documents whose files wait for the archive. */
  documentsWaiting(): Promise<number>;
  /** Returns the number of archived files that this process found damaged, until they are whole again. */
  documentsDamaged(): number;
  close(): Promise<void>;
}

export async function startAccountService(options: AccountServiceOptions): Promise<AccountService> {
  const { accounts, store, clock, ids, logger, readModels, subjectKeys, requests } = options;
  const { isAlive, takeOverAfterMs = 0, approvalCents = 0n, agreedClock = clock } = options;
  const database = await openReadModels<AccountSchema & KeyUseSchema>({
    location: readModels,
    service: "account",
    logger,
  });
  const projector = await openProjector(options, database);
  const projecting = supervise("account projections", (signal) => projector.run(signal), { logger });
  const { commands } = accounts;
  const queries = accountQueries(database);
  const sequence = (name: string) =>
    createIdSequence({ commands, name, blockSize: 1, newCommandId: () => ids.uuid() });
  const shared = {
    projector,
    queries,
    paymentIds: sequence("payment"),
    methodIds: sequence("paymentmethod"),
    installation: createInstallation({ commands, clock, ids }),
  };
  const { documents, engine, stopWork } = await startWork(options, { ...shared, database });
  const dependencies: AccountDependencies = {
    store,
    accounts,
    commands,
    requests,
    clock,
    ids,
    ...shared,
    keyUses: createKeyUses(database, logger),
    accountIds: sequence("account"),
    keyIds: sequence("apikey"),
    payoutIds: sequence("payout"),
    payoutFileIds: sequence("payoutfile"),
    payments: options.payments,
    engine,
    logger,
    quotas: createQuotaCommands({ store, recordedBy: accountRecorder }),
    dailyQuotas: createAccountQuotas({ store, recordedBy: accountRecorder, clock, ids }),
    documents,
    subjectKeys,
    approvalCents,
    retainedJournalYears: options.retainedJournalYears ?? journalRetentionYears,
    work: engine,
    postings: new KeyedMutex(),
    bankIban: options.bankIban,
    bankBic: options.bankBic,
  };
  return {
    ...routesOf(dependencies, { requests, clock: agreedClock, ids, isAlive, takeOverAfterMs }),
    projector,
    commands,
    work: engine,
    lastComparison: () => lastComparison(commands, "payments"),
    documentsWaiting: () => queries.documentsWaiting(),
    documentsDamaged: () => documents.damaged(),
    async close() {
      await stopWork();
      await projecting.stop();
      await dependencies.keyUses.close();
      await database.close();
    },
  };
}

/** Maximum bytes of a webhook of a payment provider with its envelope: the gateway takes 1 MiB. */
const longestNotice = 2 * 1024 * 1024;

/** Opens the projector of the account's read models. */
function openProjector(
  { rawStore, clock, logger, codecOf = codecOfCategory, tracing }: AccountServiceOptions,
  database: ReadModelDatabase<AccountSchema & KeyUseSchema>,
): Promise<Projector> {
  return createProjector({
    store: rawStore,
    database,
    codec: accountSubscriptionCodec,
    codecOf,
    projections: [apiKeys, invoices, profiles, holdings, payments, accountWork],
    timing: clock,
    logger,
    ...defined({ tracing }),
  });
}

function routesOf(
  dependencies: AccountDependencies,
  idempotency: RequestDependencies,
): Pick<AccountService, "routes" | "staffRoutes"> {
  return {
    routes: [
      implement(account.AccountService, accountRpc(dependencies)),
      implement(account.DocumentService, documentRpc(dependencies)),
      implement(account.PaymentService, paymentRpc(dependencies)),
      implement(account.PaymentNoticeService, paymentNoticeRpc(dependencies), {
        readMaxBytes: longestNotice,
      }),
      implement(account.IdempotencyService, idempotencyRpc(idempotency)),
    ],
    staffRoutes: [
      implement(admin.AccountAdminService, accountAdminRpc(dependencies)),
      implement(admin.BankAdminService, bankAdminRpc(dependencies), bankFileLimits),
      implement(admin.DocumentAdminService, documentAdminRpc(dependencies)),
    ],
  };
}
