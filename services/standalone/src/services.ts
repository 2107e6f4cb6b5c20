import { createClient, type Transport } from "@connectrpc/connect";
import { startAccountService } from "@hostledger/account-service";
import { startDomainService } from "@hostledger/domain-service";
import { account, admin, domain, server, support } from "@hostledger/protocol";
import {
  createInProcessTransport,
  implement,
  serverInterceptors,
  staffInterceptors,
  type ServiceImplementation,
} from "@hostledger/rpc";
import type { Configuration, Logger, Shutdown } from "@hostledger/runtime";
import { startServerService } from "@hostledger/server-service";
import { startSupportService } from "@hostledger/support-service";

import type { Parts } from "./parts.ts";
import { projectionAdminRpc, type Projectors } from "./projection-admin.rpc.ts";

/** All services of the process, started. */
export type Services = Awaited<ReturnType<typeof startServices>>;

/** Starts the services one after the other and tells the shutdown of each. They call each other without serialising. */
export async function startServices(
  parts: Parts,
  configuration: Configuration,
  logger: Logger,
  shutdown: Shutdown,
) {
  const { store, clock, ids, callers, compute, staffCredential } = parts;
  const common = { store, clock, ids, logger };
  const interceptors = serverInterceptors({ tokens: callers, logger });
  const inProcess = (routes: readonly ServiceImplementation[]): Transport =>
    createInProcessTransport(routes, { interceptors });

  const accountService = await startAccountService({
    ...common,
    readModels: parts.readModels("account"),
    // This process has its data for itself: whoever else began a request is dead.
    isAlive: (owner) => owner === parts.instanceId,
  });
  shutdown.add("account service", () => accountService.close());
  const toAccount = inProcess(accountService.routes);
  const accounts = createClient(account.AccountService, toAccount);

  const domainService = await startDomainService({
    ...common,
    readModels: parts.readModels("domain"),
    registrar: parts.registrar,
    dns: parts.dns,
    sandbox: parts.sandbox,
    accounts,
    callers,
    settings: domainSettings(configuration),
  });
  shutdown.add("domain service", () => domainService.close());

  const readModels = parts.readModels("server");
  const serverService = await startServerService({ ...common, readModels, compute, accounts, callers });
  shutdown.add("server service", () => serverService.close());

  const supportService = await startSupportService({ ...common, readModels: parts.readModels("support") });
  shutdown.add("support service", () => supportService.close());

  const projectors: Projectors = {
    account: accountService.projector,
    domain: domainService.projector,
    server: serverService.projector,
    support: supportService.projector,
  };
  const all = [accountService, domainService, serverService, supportService];
  const staffRoutes = [
    ...all.flatMap((service) => service.staffRoutes),
    implement(admin.ProjectionAdminService, projectionAdminRpc(projectors)),
  ];
  const toServer = inProcess(serverService.routes);
  return {
    /** What the gateway calls. */
    clients: {
      account: accounts,
      idempotency: createClient(account.IdempotencyService, toAccount),
      domain: createClient(domain.DomainService, inProcess(domainService.routes)),
      server: createClient(server.ServerService, toServer),
      catalogue: createClient(server.CatalogueService, toServer),
      support: createClient(support.SupportService, inProcess(supportService.routes)),
    },
    projectors,
    routes: all.flatMap((service) => service.routes),
    staffRoutes,
    staffTransport: createInProcessTransport(staffRoutes, {
      interceptors: staffInterceptors({ credential: staffCredential, logger }),
    }),
    interceptors,
  };
}

function domainSettings({ nameservers, parkingAddress, fallbackRenewalPriceCents }: Configuration) {
  return { serviceNameservers: nameservers, parkingAddress, fallbackRenewalPriceCents };
}
