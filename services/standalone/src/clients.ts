import { createClient, type Transport } from "@connectrpc/connect";
import { account, domain, server, support } from "@hostledger/protocol";

import type { ServiceName } from "./services.ts";

/** What the gateway calls, by how each service is reached. */
export function clientsOf(to: (service: ServiceName) => Transport) {
  const [toAccount, toServer] = [to("account"), to("server")];
  return {
    account: createClient(account.AccountService, toAccount),
    idempotency: createClient(account.IdempotencyService, toAccount),
    domain: createClient(domain.DomainService, to("domain")),
    server: createClient(server.ServerService, toServer),
    catalogue: createClient(server.CatalogueService, toServer),
    support: createClient(support.SupportService, to("support")),
  };
}
