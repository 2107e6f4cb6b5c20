import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { admin, audit } from "@hostledger/protocol";
import { listen } from "@hostledger/runtime/testing";

/** Methods implemented by a spec; others answer "unimplemented". */
export interface StaffImplementation {
  readonly accounts?: Partial<ServiceImpl<typeof admin.AccountAdminService>>;
  readonly bank?: Partial<ServiceImpl<typeof admin.BankAdminService>>;
  readonly documents?: Partial<ServiceImpl<typeof admin.DocumentAdminService>>;
  readonly domains?: Partial<ServiceImpl<typeof admin.DomainAdminService>>;
  readonly servers?: Partial<ServiceImpl<typeof admin.ServerAdminService>>;
  readonly support?: Partial<ServiceImpl<typeof admin.SupportAdminService>>;
  readonly audits?: Partial<ServiceImpl<typeof audit.AuditService>>;
  readonly auditors?: Partial<ServiceImpl<typeof admin.AuditorAdminService>>;
  readonly members?: Partial<ServiceImpl<typeof admin.StaffAdminService>>;
  readonly teams?: Partial<ServiceImpl<typeof admin.ServiceCredentialAdminService>>;
  readonly clock?: Partial<ServiceImpl<typeof admin.ClockAdminService>>;
  readonly store?: Partial<ServiceImpl<typeof admin.StoreAdminService>>;
  readonly projections?: Partial<ServiceImpl<typeof admin.ProjectionAdminService>>;
}

export interface StaffServer extends AsyncDisposable {
  readonly url: string;
  /** The received `authorization` headers, oldest first. */
  readonly credentials: readonly (string | undefined)[];
}

/** Serves implementations like the real staff listener: Connect over HTTP/1.1. */
export async function startStaffServer(implementation: StaffImplementation): Promise<StaffServer> {
  const routes = (router: ConnectRouter): void => {
    router.service(admin.AccountAdminService, implementation.accounts ?? {});
    router.service(admin.BankAdminService, implementation.bank ?? {});
    router.service(admin.DocumentAdminService, implementation.documents ?? {});
    router.service(admin.DomainAdminService, implementation.domains ?? {});
    router.service(admin.ServerAdminService, implementation.servers ?? {});
    router.service(admin.SupportAdminService, implementation.support ?? {});
    router.service(audit.AuditService, implementation.audits ?? {});
    router.service(admin.AuditorAdminService, implementation.auditors ?? {});
    router.service(admin.StaffAdminService, implementation.members ?? {});
    router.service(admin.ServiceCredentialAdminService, implementation.teams ?? {});
    router.service(admin.ClockAdminService, implementation.clock ?? {});
    router.service(admin.StoreAdminService, implementation.store ?? {});
    router.service(admin.ProjectionAdminService, implementation.projections ?? {});
  };
  return startServer(connectNodeAdapter({ routes }));
}

/** Starts any HTTP server, for answers that no staff listener gives. */
export async function startServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<StaffServer> {
  const credentials: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    credentials.push(request.headers.authorization);
    handler(request, response);
  });
  return {
    url: `http://127.0.0.1:${String(await listen(server))}`,
    credentials,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
