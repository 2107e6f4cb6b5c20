import type { Client } from "@connectrpc/connect";
import { placeholderSeller, type Seller } from "@hostledger/audit/documents";
import type { account, domain, server, support } from "@hostledger/protocol";

import type { Operation } from "./http/operation.ts";
import { accountRoutes } from "./routes/account.routes.ts";
import { billingRoutes } from "./routes/billing.routes.ts";
import { invoiceRoutes } from "./routes/invoices.routes.ts";
import { catalogueRoutes } from "./routes/catalogue.routes.ts";
import { dnsRoutes } from "./routes/dns.routes.ts";
import { domainChangeRoutes } from "./routes/domain-changes.routes.ts";
import { domainRoutes } from "./routes/domains.routes.ts";
import { firewallRoutes } from "./routes/firewall.routes.ts";
import { keyRoutes } from "./routes/keys.routes.ts";
import { noticeChoiceRoutes } from "./routes/notice-choices.routes.ts";
import { serverRoutes } from "./routes/servers.routes.ts";
import { ticketRoutes } from "./routes/tickets.routes.ts";
import { webhookRoutes } from "./routes/webhooks.routes.ts";

/** The services behind the gateway. */
export interface GatewayClients {
  readonly account: Client<typeof account.AccountService>;
  readonly domain: Client<typeof domain.DomainService>;
  readonly server: Client<typeof server.ServerService>;
  readonly catalogue: Client<typeof server.CatalogueService>;
  readonly support: Client<typeof support.SupportService>;
}

/** Returns all operations of the REST API. @param seller company named on invoices; default: a placeholder. */
export function operationsOf(
  clients: GatewayClients,
  seller: Seller = placeholderSeller,
): readonly Operation[] {
  const { account, domain, server, catalogue, support } = clients;
  return [
    ...domainRoutes(domain),
    ...domainChangeRoutes(domain),
    ...dnsRoutes(domain),
    ...serverRoutes(server),
    ...firewallRoutes(server),
    ...catalogueRoutes(catalogue),
    ...ticketRoutes(support),
    ...billingRoutes(account, domain),
    ...invoiceRoutes(account, seller),
    ...keyRoutes(account),
    ...accountRoutes(account),
    ...noticeChoiceRoutes(support),
    ...webhookRoutes(support),
  ];
}
