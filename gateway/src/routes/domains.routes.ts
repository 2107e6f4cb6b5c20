import type { Client } from "@connectrpc/connect";
import type { domain as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import {
  domainList,
  domainPath,
  domainWithRecords,
  registerDomainBody,
  registeredDomain,
  transferDomainBody,
  transferredDomain,
} from "../schemas/domain.schema.ts";
import { domainOffer, priceList, searchDomainQuery } from "../schemas/price.schema.ts";
import { listQuery, statusText } from "../schemas/page.schema.ts";
import { domainNameText } from "../schemas/values.schema.ts";
import {
  domainOfferView,
  domainsJson,
  domainWithRecordsJson,
  priceView,
  registeredDomainView,
  transferredDomainView,
} from "../views/domain.view.ts";
import { domainIdOf } from "./domain-id.ts";

type DomainClient = Client<typeof messages.DomainService>;

/** Operations to register, transfer and read domains. */
export function domainRoutes(domains: DomainClient): Operation[] {
  return [...buying(domains), transferring(domains), ...reading(domains)];
}

function buying(domains: DomainClient): Operation[] {
  return [
    operation({
      id: "registerDomain",
      scopes: ["domains"],
      tag: "Domains",
      method: "post",
      path: "/domains",
      summary: "Register a domain and pay for it from the balance",
      description:
        "WHOIS privacy and the transfer lock are on, and a DNS zone with `@` and `www` is created unless `nameservers` are given.",
      request: { body: registerDomainBody },
      responses: { 201: registeredDomain },
      exampleMessage: "Domain registered",
      refusals: [
        "quota-exceeded",
        "insufficient-balance",
        "registration-in-flight",
        "unsupported-extension",
        "profile-incomplete",
        "domain-taken",
        "domain-not-available",
        "premium-name",
        "registrar-failed",
      ],
      async handle({ body: { auto_renew: autoRenew, nameservers = [], ...order } }, { call }) {
        const registered = await domains.registerDomain({ ...order, autoRenew, nameservers }, call);
        return { status: 201, body: registeredDomainView(registered) };
      },
    }),
    operation({
      id: "searchDomain",
      scopes: ["domains", "read"],
      tag: "Domains",
      method: "get",
      path: "/domains/search",
      summary: "Tell whether a name can be registered, and its exact price",
      request: { query: searchDomainQuery },
      responses: { 200: domainOffer },
      refusals: ["unsupported-extension", "registrar-unavailable"],
      async handle({ query }, { call }) {
        const offer = await domains.searchDomain(query, call);
        return { status: 200, body: domainOfferView(offer) };
      },
    }),
    operation({
      id: "listExtensionPrices",
      scopes: ["domains", "read"],
      tag: "Domains",
      method: "get",
      path: "/domains/pricing",
      summary: "List the extensions on sale with their net prices, by name",
      description:
        "The list is whole: there is one entry for each extension on sale, and an entry has no id to page by.",
      request: {},
      responses: { 200: priceList },
      refusals: [],
      async handle(_request, { call }) {
        const list = await domains.listPrices({}, call);
        return { status: 200, body: list.prices.map(priceView) };
      },
    }),
  ];
}

function transferring(domains: DomainClient): Operation {
  return operation({
    id: "transferDomain",
    scopes: ["domains"],
    tag: "Domains",
    method: "post",
    path: "/domains/transfer",
    summary:
      "Have a domain transferred from another registrar, with a year more, and pay for it from the balance",
    description:
      "The domain is `transferring` until the other registrar lets it go, which may take days; if it does not, the price is refunded, a ticket tells so, and the domain is gone from the list.",
    request: { body: transferDomainBody },
    responses: { 202: transferredDomain },
    exampleMessage: "Domain transfer started",
    refusals: [
      "quota-exceeded",
      "insufficient-balance",
      "registration-in-flight",
      "profile-incomplete",
      "domain-taken",
      "not-transferable",
      "premium-name",
      "invalid-auth-code",
      "registrar-failed",
    ],
    async handle(
      { body: { auto_renew: autoRenew, auth_code: authCode, nameservers = [], domain } },
      { call },
    ) {
      const order = { domain, authCode, autoRenew, nameservers };
      return { status: 202, body: transferredDomainView(await domains.transferDomain(order, call)) };
    },
  });
}

function reading(domains: DomainClient): Operation[] {
  return [
    operation({
      id: "listDomains",
      scopes: ["domains", "dns", "dns:txt", "read"],
      tag: "Domains",
      method: "get",
      path: "/domains",
      summary: "List the domains of the account, oldest first",
      request: {
        query: listQuery.extend({
          status: statusText(["active", "suspended", "transferring", "expired"]),
          name: domainNameText.optional(),
        }),
      },
      responses: { 200: domainList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed(
          "/domains",
          query,
          async ({ filter: { name, ...filter } = {}, ...page }) => {
            const asked = Object.keys(filter).length === 0 ? page : { ...page, filter };
            const list = await domains.listDomains({ page: asked, ...defined({ name }) }, call);
            return list.domains;
          },
          (items) => domainsJson.list(items),
        ),
    }),
    operation({
      id: "getDomain",
      scopes: ["domains", "dns", "dns:txt", "read"],
      tag: "Domains",
      method: "get",
      path: "/domains/{domain}",
      summary: "Read one domain with its DNS records",
      request: { params: domainPath },
      responses: { 200: domainWithRecords },
      refusals: [],
      async handle({ params }, { call }) {
        const domainId = await domainIdOf(domains, params.domain, call);
        const found = await domains.getDomain({ domainId }, call);
        return { status: 200, text: domainWithRecordsJson(found) };
      },
    }),
  ];
}
