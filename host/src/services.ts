import { createClient, type Transport } from "@connectrpc/connect";
import { startAccountService } from "@hostledger/account-service";
import { startDomainService } from "@hostledger/domain-service";
import type { AccountCommands, CommandHandler } from "@hostledger/store";
import type { lastComparison, RunFigure } from "@hostledger/work";
import type { Projector } from "@hostledger/read";
import { account } from "@hostledger/protocol";
import type { ServiceImplementation } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { startServerService } from "@hostledger/server-service";
import { startSupportService } from "@hostledger/support-service";

import type { Configuration } from "./configuration/index.ts";
import { type ArchiveState, openDocuments, watchArchive } from "./open-documents.ts";
import { openMail } from "./open-mail.ts";
import { openProviders, type Providers } from "./open-providers.ts";
import { openPayments } from "./open-payments.ts";
import { openVatIds } from "./open-vat-ids.ts";
import type { HostContext, PartDecorators } from "./host-context.ts";
import { sellerOf } from "./seller.ts";
import type { ServiceContext } from "./service-context.ts";

/** The services, each of which can run in a process of its own. */
export const serviceNames = ["account", "domain", "server", "support"] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface StartedService {
  /** For customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** For staff only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  readonly commands: Pick<CommandHandler, "statistics">;
  /** Of the service that archives documents: how many wait. */
  readonly documentsWaiting?: () => Promise<number>;
  /** Of the same service: how many archived files it found damaged. */
  readonly documentsDamaged?: () => number;
  /** Of the same service: whether the archive could be used the last time. */
  readonly archiveState?: () => ArchiveState;
  /** Of a service that has runs: those that have not ended. */
  readonly runFigures?: () => Promise<readonly RunFigure[]>;
  /** Returns the result of the last comparison with providers, for a service that has one. */
  readonly lastComparison?: () => ReturnType<typeof lastComparison>;
  close(): Promise<void>;
}

export interface ServiceStart {
  readonly context: ServiceContext;
  readonly configuration: Configuration;
  /** Decides on accounts, for all services of the process. */
  readonly accounts: () => AccountCommands;
  /** The parties outside, for services that deal with them. */
  readonly providers: () => Providers;
  /** Reaches the account service, which has customers' documents. */
  readonly toDocuments: () => Transport;
  /** Wraps the archive of documents in tests. */
  readonly decorate: Pick<PartDecorators, "archive">;
  /** Says whether the gateway of a request is alive, and how long to wait if that is unknown. */
  readonly gateways: { readonly isAlive: (owner: string) => boolean; readonly takeOverAfterMs: number };
}

export const starters: Readonly<Record<ServiceName, (starting: ServiceStart) => Promise<StartedService>>> = {
  account: async ({ context, configuration, accounts, providers, gateways, decorate }) => {
    const opened = await openDocuments(configuration);
    const { archive, state: archiveState } = watchArchive(decorate.archive?.(opened) ?? opened, {
      isShared: configuration.database !== "sqlite",
    });
    const service = await startAccountService({
      ...commonOf(context),
      accounts: accounts(),
      rawStore: context.rawStore,
      readModels: context.readModels("account"),
      subjectKeys: context.subjectKeys,
      requests: context.requests,
      approvalCents: BigInt(configuration.approvalCents),
      debtReminderDays: configuration.debtReminderDays,
      archive,
      seller: sellerOf(configuration),
      leases: context.leases,
      isTimeTrusted: context.isTimeTrusted,
      refusesWrites: context.refusesWrites,
      comparisonHours: configuration.comparisonHours,
      ...defined({
        vatIds: openVatIds(configuration, context, { accounts: accounts(), providers }),
        payments: openPayments(configuration, context, providers),
      }),
      bankIban: configuration.bankIban,
      bankBic: configuration.bankBic,
      retainedJournalYears: configuration.retainedJournalYears,
      ...gateways,
    });
    return {
      ...service,
      archiveState,
      async close() {
        await service.close();
        await archive.close();
      },
    };
  },

  domain: ({ context, configuration, accounts, providers }) => {
    const { registrars, dns, sandbox } = providers();
    const [registrar, ...otherRegistrars] = registrars;
    return startDomainService({
      ...commonOf(context),
      // An order of a transfer sends the other registrar's code.
      store: context.secretsStore,
      rawStore: context.rawStore,
      readModels: context.readModels("domain"),
      leases: context.leases,
      registrar,
      otherRegistrars,
      dns,
      sandbox,
      accounts: accounts(),
      settings: domainSettings(configuration),
      isTimeTrusted: context.isTimeTrusted,
      quietMs: configuration.quietMs,
      comparisonHours: configuration.comparisonHours,
      registrarChecksPerMinute: configuration.registrarChecksPerMinute,
    });
  },

  server: ({ context, configuration, accounts, providers }) =>
    startServerService({
      ...commonOf(context),
      accounts: accounts(),
      // Events of servers contain no personal data.
      store: context.rawStore,
      readModels: context.readModels("server"),
      leases: context.leases,
      compute: providers().compute,
      isTimeTrusted: context.isTimeTrusted,
      quietMs: configuration.quietMs,
      comparisonHours: configuration.comparisonHours,
      terminationDays: configuration.terminationDays,
    }),

  support: ({ context, configuration, toDocuments }) => {
    const mail = openMail(configuration);
    return startSupportService({
      ...commonOf(context),
      // Notices are signed with the webhooks' secrets.
      store: context.secretsStore,
      readModels: context.readModels("support"),
      rawStore: context.rawStore,
      subjectKeys: context.subjectKeys,
      leases: context.leases,
      webhookAllow: configuration.webhookAllow,
      ...defined({
        mail: mail && {
          ...mail,
          documents: createClient(account.DocumentService, toDocuments()),
          callers: context.tokensOf("support"),
        },
      }),
      terminationDays: configuration.terminationDays,
      isTimeTrusted: context.isTimeTrusted,
    });
  },
};

/** Opens the providers when the first service asks for them. */
export function providersOnDemand(hostContext: HostContext, context: ServiceContext): () => Providers {
  let providers: Providers | undefined;
  return () => (providers ??= openProviders(hostContext, context));
}

function commonOf({ store, clock, agreedClock, ids, logger, tracing }: ServiceContext) {
  return { store, clock, agreedClock, ids, logger, ...defined({ tracing }) };
}

function domainSettings({
  nameservers,
  parkingAddress,
  fallbackRenewalPriceCents,
  suspendedBy,
}: Configuration) {
  return { serviceNameservers: nameservers, parkingAddress, fallbackRenewalPriceCents, suspendedBy };
}
