import { join } from "node:path";

import { createClient, type Transport } from "@connectrpc/connect";
import { startAccountService } from "@hostledger/account-service";
import { startDomainService } from "@hostledger/domain-service";
import type { Projector } from "@hostledger/projections";
import { account, admin } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import type { Configuration } from "@hostledger/runtime";
import { startServerService } from "@hostledger/server-service";
import { startSupportService } from "@hostledger/support-service";

import { clockAdminRpc } from "./clock-admin.rpc.ts";
import { openProviders, type Providers } from "./open-providers.ts";
import type { Opening } from "./opening.ts";
import type { Parts } from "./parts.ts";
import { projectionAdminRpc } from "./projection-admin.rpc.ts";

/** The services, each of which can run in a process of its own. */
export const serviceNames = ["account", "domain", "server", "support"] as const;
export type ServiceName = (typeof serviceNames)[number];

/** What can run alone: these, and the audit. */
export type SeparateName = ServiceName | "audit";

/** A service at work. */
export interface StartedService {
  /** For customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** For staff only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  close(): Promise<void>;
}

/** What a service is started with. */
export interface Surroundings {
  readonly parts: Parts;
  readonly configuration: Configuration;
  /** The parties outside, for services that deal with them. */
  readonly providers: () => Providers;
  /** How the account service is reached. */
  readonly toAccount: () => Transport;
  /** Tells whether a gateway that began a request lives, and how long it is waited for where that is not known. */
  readonly gateways: { readonly isAlive: (owner: string) => boolean; readonly takeOverAfterMs: number };
}

/** How each service is started. */
export const starters: Readonly<
  Record<ServiceName, (surroundings: Surroundings) => Promise<StartedService>>
> = {
  account: ({ parts, configuration, gateways }) =>
    startAccountService({
      ...commonOf(parts),
      readModels: parts.readModels("account"),
      subjectKeys: parts.subjectKeys,
      // With read models in PostgreSQL several processes may share the directory, and this file is for one.
      ...(configuration.database === "sqlite"
        ? { snapshotFile: join(configuration.data, "snapshots", "account-sealed.sqlite") }
        : {}),
      ...gateways,
    }),

  domain: ({ parts, configuration, providers, toAccount }) => {
    const { registrar, dns, sandbox } = providers();
    return startDomainService({
      ...commonOf(parts),
      readModels: parts.readModels("domain"),
      leases: parts.leases,
      registrar,
      dns,
      sandbox,
      accounts: createClient(account.AccountService, toAccount()),
      callers: parts.callers,
      settings: domainSettings(configuration),
      isTimeTrusted: () => parts.clockWatch.isTrusted(),
    });
  },

  server: ({ parts, providers, toAccount }) =>
    startServerService({
      ...commonOf(parts),
      readModels: parts.readModels("server"),
      leases: parts.leases,
      compute: providers().compute,
      accounts: createClient(account.AccountService, toAccount()),
      callers: parts.callers,
      isTimeTrusted: () => parts.clockWatch.isTrusted(),
    }),

  support: ({ parts }) =>
    startSupportService({
      ...commonOf(parts),
      readModels: parts.readModels("support"),
      rawStore: parts.rawStore,
      subjectKeys: parts.subjectKeys,
    }),
};

/** The staff RPC about the read models of these services. */
export function projectionRoute(
  services: Readonly<Record<string, Pick<StartedService, "projector">>>,
): ServiceImplementation {
  const projectors = Object.fromEntries(
    Object.entries(services).map(([name, { projector }]) => [name, projector]),
  );
  return implement(admin.ProjectionAdminService, projectionAdminRpc(projectors));
}

/** The staff RPC about the clock of this process, and through the facts about those of all others. */
export function clockRoute({ clockWatch }: Pick<Parts, "clockWatch">): ServiceImplementation {
  return implement(admin.ClockAdminService, clockAdminRpc(clockWatch));
}

/** Opens the providers when the first service asks for them. */
export function providersOnDemand(opening: Opening, { clock }: Parts): () => Providers {
  let providers: Providers | undefined;
  return () => (providers ??= openProviders(opening, clock));
}

function commonOf({ store, clock, ids, logger }: Parts) {
  return { store, clock, ids, logger };
}

function domainSettings({ nameservers, parkingAddress, fallbackRenewalPriceCents }: Configuration) {
  return { serviceNameservers: nameservers, parkingAddress, fallbackRenewalPriceCents };
}
