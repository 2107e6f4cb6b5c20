import type { Operation, OperationTag, ResourceOperation } from "./http/operation.ts";
import { accountOperations } from "./resources/account/account.resource.ts";
import { billingOperations } from "./resources/billing/billing.resource.ts";
import { methodOperations } from "./resources/billing/methods.resource.ts";
import { topUpOperations } from "./resources/billing/topups.resource.ts";
import { catalogueOperations } from "./resources/catalogue/catalogue.resource.ts";
import { dnsOperations } from "./resources/dns/dns.resource.ts";
import {
  domainOrderOperations,
  renewalAndTransferOperations,
} from "./resources/domains/domain-orders.resource.ts";
import { domainOperations } from "./resources/domains/domains.resource.ts";
import { firewallOperations } from "./resources/firewall/firewall.resource.ts";
import { keyOperations } from "./resources/keys/keys.resource.ts";
import { noticeOperations } from "./resources/notices/notices.resource.ts";
import { serverOperations } from "./resources/servers/servers.resource.ts";
import { ticketOperations } from "./resources/tickets/tickets.resource.ts";
import { webhookOperations } from "./resources/webhooks/webhooks.resource.ts";

/** The resources of the REST API, by their group in the documents. The OpenAPI document keeps this order. */
const resources: readonly (readonly [OperationTag, readonly ResourceOperation[]])[] = [
  ["Domains", [...domainOrderOperations, ...domainOperations, ...renewalAndTransferOperations]],
  ["DNS", dnsOperations],
  ["Servers", [...serverOperations, ...firewallOperations]],
  ["Catalogue", catalogueOperations],
  ["Tickets", ticketOperations],
  ["Billing", [...billingOperations, ...topUpOperations, ...methodOperations]],
  ["Keys", keyOperations],
  ["Account", [...accountOperations, ...noticeOperations]],
  ["Webhooks", webhookOperations],
];

/** All operations of the REST API. */
export const operations: readonly Operation[] = resources.flatMap(([tag, ofResource]) =>
  ofResource.map((operation) => ({ ...operation, tag })),
);
