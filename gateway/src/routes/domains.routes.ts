import type { Client } from "@connectrpc/connect";
import type { domain as messages } from "@hostledger/protocol";

import { operation, type Operation } from "../http/operation.ts";
import {
  domainList,
  domainOffer,
  domainPath,
  domainWithRecords,
  priceList,
  registerDomainBody,
  registeredDomain,
  searchDomainQuery,
} from "../schemas/domain.schema.ts";
import {
  domainOfferView,
  domainView,
  domainWithRecordsView,
  priceView,
  registeredDomainView,
} from "../views/domain.view.ts";

/** The operations on domains. Each reads: schema → Connect call → view. */
export function domainRoutes(domains: Client<typeof messages.DomainService>): Operation[] {
  return [
    operation({
      method: "post",
      path: "/domains",
      summary: "Register a domain and pay for it from the balance",
      request: { body: registerDomainBody },
      responses: { 201: registeredDomain },
      async handle({ body: { auto_renew: autoRenew, nameservers = [], ...order } }, { call }) {
        const registered = await domains.registerDomain({ ...order, autoRenew, nameservers }, call);
        return { status: 201, body: registeredDomainView(registered) };
      },
    }),
    operation({
      method: "get",
      path: "/domains",
      summary: "List the domains of the account, oldest first",
      request: {},
      responses: { 200: domainList },
      async handle(_request, { call }) {
        const list = await domains.listDomains({}, call);
        return { status: 200, body: list.domains.map(domainView) };
      },
    }),
    operation({
      method: "get",
      path: "/domains/search",
      summary: "Tell whether a name can be registered, and its exact price",
      request: { query: searchDomainQuery },
      responses: { 200: domainOffer },
      async handle({ query }, { call }) {
        const offer = await domains.searchDomain(query, call);
        return { status: 200, body: domainOfferView(offer) };
      },
    }),
    operation({
      method: "get",
      path: "/domains/pricing",
      summary: "List the extensions on sale with their prices",
      request: {},
      responses: { 200: priceList },
      async handle(_request, { call }) {
        const list = await domains.listPrices({}, call);
        return { status: 200, body: list.prices.map(priceView) };
      },
    }),
    operation({
      method: "get",
      path: "/domains/{domain}",
      summary: "Read one domain with its DNS records",
      request: { params: domainPath },
      responses: { 200: domainWithRecords },
      async handle({ params }, { call }) {
        const found = await domains.getDomain({ domainId: params.domain }, call);
        return { status: 200, body: domainWithRecordsView(found) };
      },
    }),
  ];
}
