import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { admin, audit } from "@hostledger/protocol";
import { staffHeaders } from "@hostledger/rpc";
import type { StaffAddress } from "./staff-address.ts";

/** How long an ordinary call may take, in milliseconds. */
const callDeadlineMilliseconds = 30_000;

/** How long a rebuild may take, in milliseconds: it reads the whole log. */
export const rebuildDeadlineMilliseconds = 30 * 60_000;

/** The largest answer taken, in bytes: far above any list, far below what would hurt. */
const answerMaximumBytes = 256 * 1024 * 1024;

/** What staff may do on a running instance. */
export interface StaffClient {
  readonly accounts: Client<typeof admin.AccountAdminService>;
  readonly documents: Client<typeof admin.DocumentAdminService>;
  readonly domains: Client<typeof admin.DomainAdminService>;
  readonly servers: Client<typeof admin.ServerAdminService>;
  readonly support: Client<typeof admin.SupportAdminService>;
  readonly audits: Client<typeof audit.AuditService>;
  readonly auditors: Client<typeof admin.AuditorAdminService>;
  readonly staff: Client<typeof admin.StaffAdminService>;
  readonly teams: Client<typeof admin.ServiceCredentialAdminService>;
  readonly clock: Client<typeof admin.ClockAdminService>;
  readonly projections: Client<typeof admin.ProjectionAdminService>;
}

/** Speaks to a staff listener over HTTP/1.1. Nothing is sent before the first call; every call has a deadline. */
export function staffClient({ url, token, trust }: StaffAddress): StaffClient {
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    interceptors: [withCredential(token)],
    defaultTimeoutMs: callDeadlineMilliseconds,
    readMaxBytes: answerMaximumBytes,
    nodeOptions: { ...trust },
  });
  return {
    accounts: createClient(admin.AccountAdminService, transport),
    documents: createClient(admin.DocumentAdminService, transport),
    domains: createClient(admin.DomainAdminService, transport),
    servers: createClient(admin.ServerAdminService, transport),
    support: createClient(admin.SupportAdminService, transport),
    audits: createClient(audit.AuditService, transport),
    auditors: createClient(admin.AuditorAdminService, transport),
    staff: createClient(admin.StaffAdminService, transport),
    teams: createClient(admin.ServiceCredentialAdminService, transport),
    clock: createClient(admin.ClockAdminService, transport),
    projections: createClient(admin.ProjectionAdminService, transport),
  };
}

function withCredential(token: string): Interceptor {
  return (next) => (request) => {
    for (const [name, value] of staffHeaders(token)) request.header.set(name, value);
    return next(request);
  };
}
