import { createClient, type Transport } from "@connectrpc/connect";
import { account, domain, server, support } from "@hostledger/protocol";

import { operationsOf } from "../operations.ts";
import type { Operation } from "../http/operation.ts";
import { describeOperations } from "./document.ts";

const refuse = (): never => {
  throw new Error("The operations are described here, not run.");
};
const nowhere: Transport = { unary: refuse, stream: refuse };

/** Returns all operations without services, for documents and tests. */
export function describedOperations(): readonly Operation[] {
  return operationsOf({
    account: createClient(account.AccountService, nowhere),
    domain: createClient(domain.DomainService, nowhere),
    server: createClient(server.ServerService, nowhere),
    catalogue: createClient(server.CatalogueService, nowhere),
    support: createClient(support.SupportService, nowhere),
  });
}

/** Renders gateway/openapi.json, which `/api/v1/openapi.json` serves. */
export function renderOpenApiDocument(): string {
  return `${JSON.stringify(describeOperations(describedOperations()), null, 2)}\n`;
}
