import type { RequestOptions } from "node:https";

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { createClient, type Client } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { admin, audit } from "@hostledger/protocol";

import { callHeaders } from "../interceptors/headers.ts";
import { staffHeaders } from "../interceptors/outgoing.ts";

export interface StaffClient {
  readonly accounts: Client<typeof admin.AccountAdminService>;
  readonly bank: Client<typeof admin.BankAdminService>;
  readonly documents: Client<typeof admin.DocumentAdminService>;
  readonly domains: Client<typeof admin.DomainAdminService>;
  readonly servers: Client<typeof admin.ServerAdminService>;
  readonly support: Client<typeof admin.SupportAdminService>;
  readonly audits: Client<typeof audit.AuditService>;
  readonly auditors: Client<typeof admin.AuditorAdminService>;
  readonly members: Client<typeof admin.StaffAdminService>;
  readonly teams: Client<typeof admin.ServiceCredentialAdminService>;
  readonly clock: Client<typeof admin.ClockAdminService>;
  readonly store: Client<typeof admin.StoreAdminService>;
  readonly projections: Client<typeof admin.ProjectionAdminService>;
  /** Calls a method by its descriptor. */
  readonly call: <Request extends DescMessage, Response extends DescMessage>(
    method: DescMethodUnary<Request, Response>,
    request: MessageInitShape<Request>,
  ) => Promise<MessageShape<Response>>;
}

export interface StaffConnection {
  readonly baseUrl: string;
  readonly credential: string;
  /** Of every call that names no time of its own. Default: none. */
  readonly defaultTimeoutMs?: number;
  /** The largest answer taken. Default: Connect's. */
  readonly readMaxBytes?: number;
  /** Told of the read models that an answer says may be out of date. */
  readonly onStale?: (names: string) => void;
  /** Trusted authorities, if they differ from the machine's. */
  readonly nodeOptions?: RequestOptions;
}

/** Speaks to a staff listener over HTTP/1.1 under a credential. Nothing is sent before the first call. */
export function createStaffClient({ credential, onStale, ...connection }: StaffConnection): StaffClient {
  const transport = createConnectTransport({
    ...connection,
    httpVersion: "1.1",
    interceptors: [
      (next) => async (request) => {
        for (const [name, value] of staffHeaders(credential)) request.header.set(name, value);
        const response = await next(request);
        const stale = response.header.get(callHeaders.staleReads);
        if (stale !== null) onStale?.(stale);
        return response;
      },
    ],
  });
  return {
    accounts: createClient(admin.AccountAdminService, transport),
    bank: createClient(admin.BankAdminService, transport),
    documents: createClient(admin.DocumentAdminService, transport),
    domains: createClient(admin.DomainAdminService, transport),
    servers: createClient(admin.ServerAdminService, transport),
    support: createClient(admin.SupportAdminService, transport),
    audits: createClient(audit.AuditService, transport),
    auditors: createClient(admin.AuditorAdminService, transport),
    members: createClient(admin.StaffAdminService, transport),
    teams: createClient(admin.ServiceCredentialAdminService, transport),
    clock: createClient(admin.ClockAdminService, transport),
    store: createClient(admin.StoreAdminService, transport),
    projections: createClient(admin.ProjectionAdminService, transport),
    async call(method, request) {
      const none = undefined;
      return (await transport.unary(method, none, none, none, request)).message;
    },
  };
}
