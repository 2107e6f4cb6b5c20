import type { StaffRole } from "@hostledger/core";
import { codecOfExcerpts } from "@hostledger/core/testing";
import { join } from "node:path";
import { placeholderSeller } from "@hostledger/audit/documents";
import { openFileDocuments } from "@hostledger/store/documents";
import { createClient, type Client } from "@connectrpc/connect";
import {
  accountRecorder,
  type AccountsOptions,
  createAccounts,
  createCommandHandler,
  type EventStore,
} from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { openSqliteSubjectKeys, sealPersonalData, type SubjectKeys } from "@hostledger/store/personal-data";
import type { Projector } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { account, admin } from "@hostledger/protocol";
import { type Caller, type ClaimOf, createInProcessTransport, staffInterceptors } from "@hostledger/rpc";
import { specCallers } from "@hostledger/rpc/testing";
import { manualClock, type ManualClock, randomIds, realTiming, silentLogger } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import type { AccountServiceOptions } from "./dependencies.ts";
import { createRequestClaims, createRequestCommands } from "./request-claims.ts";
import { startAccountService, type AccountService } from "./service.ts";

export type AccountClient = Client<typeof account.AccountService>;
export type IdempotencyClient = Client<typeof account.IdempotencyService>;
export type AccountAdminClient = Client<typeof admin.AccountAdminService>;

interface Place {
  readonly clock: ManualClock;
  /** Raw event store; personal data is sealed. */
  readonly store: EventStore;
  readonly subjectKeys: SubjectKeys;
}

/** The account service on a real store in a directory of its own, with clients for any caller. */
export interface AccountServiceFixture extends Place {
  readonly projector: Projector;
  /** Does at once what needs no request. */
  readonly work: AccountService["work"];
  readonly documentsWaiting: AccountService["documentsWaiting"];
  readonly documentsDamaged: AccountService["documentsDamaged"];
  /** Directory of the archive and the keys. */
  readonly directory: string;
  documents(caller: Caller | undefined): Client<typeof account.DocumentService>;
  payments(caller: Caller | undefined): Client<typeof account.PaymentService>;
  /** Client of staff with the role finance, who import statements. */
  bank(): Client<typeof admin.BankAdminService>;
  paymentNotices(): Client<typeof account.PaymentNoticeService>;
  documentAdmin(role?: StaffRole): Client<typeof admin.DocumentAdminService>;
  /** Returns a client; `undefined` calls without a token. */
  accounts(caller: Caller | undefined): AccountClient;
  staff(caller?: Caller): AccountAdminClient;
  requests(caller: Caller): IdempotencyClient;
  /** Claims keys like a service in the same process. */
  readonly claimOf: ClaimOf;
  /** Starts another process's account service on the same store; closed with this fixture. */
  beside(options?: Partial<Liveness>): Promise<Omit<AccountServiceFixture, keyof Place | "beside" | "close">>;
  close(): Promise<void>;
}

/** Options of the processes: which owners are alive, the time, the approval limit, and the archive of documents. */
type Liveness = Pick<
  AccountServiceOptions,
  | "isAlive"
  | "takeOverAfterMs"
  | "clock"
  | "approvalCents"
  | "archive"
  | "seller"
  | "isTimeTrusted"
  | "refusesWrites"
  | "vatIds"
  | "debtReminderDays"
  | "payments"
  | "comparisonHours"
  | "workIntervalMs"
  | "bankIban"
  | "bankBic"
> &
  Pick<AccountsOptions, "issuingTerms">;

/** Starts the service; close it at the end. @param shared true if other processes write to the accounts too. */
export async function openAccountService(
  liveness: Partial<Liveness> = {},
  shared = false,
): Promise<AccountServiceFixture> {
  const { path: directory, remove } = temporaryDirectory();
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const logger = silentLogger();
  const store = await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now(), shared });
  const subjectKeys = openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") });
  const services: AccountService[] = [];
  const start = async (options: Partial<Liveness>) => {
    const requests = createRequestCommands({
      store: sealPersonalData(store, subjectKeys, "secrets-too"),
      recordedBy: "account-service",
    });
    const sealed = lagging(sealPersonalData(store, subjectKeys));
    const commands = createCommandHandler({ store: sealed, recordedBy: accountRecorder });
    const service = await startAccountService({
      codecOf: codecOfExcerpts,
      store: sealed,
      accounts: createAccounts({ store: sealed, commands, clock, ids: randomIds, ...options }),
      rawStore: lagging(store),
      clock,
      ids: randomIds,
      logger,
      readModels: await testLocation(join(directory, `account-${String(services.length)}.sqlite`)),
      isAlive: () => false,
      subjectKeys,
      requests,
      archive: await openFileDocuments(join(directory, "documents")),
      seller: placeholderSeller,
      // Specs of the background work trust the time.
      isTimeTrusted: () => options.vatIds !== undefined || options.debtReminderDays !== undefined,
      ...options,
    });
    services.push(service);
    await service.projector.ready();
    return { ...service, claimOf: createRequestClaims({ requests, clock }) };
  };

  const callers = specCallers();
  const staffTransport = ({ staffRoutes }: AccountService, role: StaffRole) => {
    const identify = () => Promise.resolve({ kind: "staff", name: "ada", role } as const);
    return createInProcessTransport(staffRoutes, { interceptors: staffInterceptors({ identify, logger }) });
  };
  const clientsOf = (
    service: Awaited<ReturnType<typeof start>>,
  ): Omit<AccountServiceFixture, keyof Place | "beside" | "close"> => ({
    projector: service.projector,
    work: service.work,
    documentsWaiting: service.documentsWaiting,
    documentsDamaged: service.documentsDamaged,
    directory,
    documents: (caller) => createClient(account.DocumentService, callers.transportTo(service, caller)),
    payments: (caller) => createClient(account.PaymentService, callers.transportTo(service, caller)),
    documentAdmin: (role = "support") =>
      createClient(admin.DocumentAdminService, staffTransport(service, role)),
    bank: () => createClient(admin.BankAdminService, staffTransport(service, "finance")),
    paymentNotices: () =>
      createClient(
        account.PaymentNoticeService,
        callers.transportTo(service, { kind: "service", name: "gateway" }),
      ),
    accounts: (caller) => createClient(account.AccountService, callers.transportTo(service, caller)),
    staff: (caller = { kind: "staff", name: "ada" }) =>
      createClient(admin.AccountAdminService, callers.transportTo(service, caller)),
    requests: (caller) => createClient(account.IdempotencyService, callers.transportTo(service, caller)),
    claimOf: service.claimOf,
  });
  return {
    clock,
    store,
    subjectKeys,
    ...clientsOf(await start(liveness)),
    beside: async (options = {}) => clientsOf(await start(options)),
    async close() {
      for (const each of services) await each.close();
      await store.close();
      await subjectKeys.close();
      remove();
    },
  };
}

/** Wraps a store whose subscriptions lag 5 ms behind. */
function lagging(store: EventStore): EventStore {
  return {
    shared: store.shared === true,
    append: (stream, expected, events) => store.append(stream, expected, events),
    read: (stream, options) => store.read(stream, options),
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) {
        await realTiming.sleep(5);
        yield batch;
      }
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}
