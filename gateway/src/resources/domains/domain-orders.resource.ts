import { domain as messages } from "@hostledger/protocol";
import { z } from "zod";

import { operation } from "../../http/operation.ts";
import {
  domainName,
  euroAmount,
  flag,
  id,
  line,
  nameservers,
  shownText,
  succeeded,
  years,
  yearsText,
} from "../../http/values.schema.ts";
import { euros, present, view } from "../../http/view.codec.ts";
import { domain, domainIdOf, domainPath, domainView } from "./domain.ts";

/** Body of `POST /domains` (specification §4.1). */
const registerDomainBody = z.object({
  domain: domainName,
  years: years.optional(),
  auto_renew: flag.default(false).meta({ description: "Renew automatically, from 7 days before expiry." }),
  nameservers: nameservers.optional(),
});

const transferDomainBody = registerDomainBody.omit({ years: true }).extend({
  domain: domainName.meta({
    description:
      "One label and one extension. In the sandbox, names with `elsewhere` are registered with another registrar.",
    examples: ["elsewhere.com"],
  }),
  auth_code: line({ minimum: 1, maximum: 255 }).meta({
    description: "authInfo code from the present registrar.",
    examples: ["let-me-go"],
  }),
  nameservers: nameservers.optional().meta({ description: "Default: the present nameservers." }),
});

const currency = z.literal("EUR");

/** Net prices of an extension in euros, per year. */
const prices = z.object({
  registration_price: euroAmount.meta({ examples: [10] }),
  renewal_price: euroAmount.meta({ examples: [12] }),
  transfer_price: euroAmount.meta({ examples: [10] }),
  /** Price to restore a name after its days of grace, including a year; null if not offered. */
  restore_price: euroAmount.nullable().meta({ examples: [80] }),
});

/** Price of a registration for an account over the term, in euros. */
const quote = z.object({
  years: z.int(),
  net: euroAmount.meta({ examples: [10] }),
  vat: euroAmount.meta({ examples: [1.9] }),
  gross: euroAmount,
});

const domainOffer = z.object({
  status: z.literal(true),
  domain: shownText("example.com"),
  available: z.boolean(),
  tld: shownText("com"),
  currency,
  pricing: prices,
  quote,
});

const extensionPrice = z
  .object({
    tld: shownText("com"),
    description: shownText("Commercial"),
    currency,
    ...prices.shape,
    searchable: z.boolean(),
  })
  .meta({ id: "ExtensionPrice", description: "An extension on sale, with its net prices per year." });

/** A charge for a domain, in the answer to an order. */
const charged = {
  invoice_id: id,
  amount_charged: euroAmount.meta({ description: "Gross euros charged to the balance." }),
};
const renewed = { ...charged, years: z.int(), domain };
const registered = {
  ...renewed,
  warning: z.string().optional().meta({
    description: "Reason why the requested nameservers were not set; the domain is registered.",
  }),
};
const transferred = { ...charged, domain };

const registeredDomainView = view(messages.RegisterDomainResponseSchema, z.object(registered), {
  domain: (answer) => domainView(present(answer.domain, "RegisterDomainResponse.domain")),
  warning: ({ warning }) => warning,
});

const renewedDomainView = view(messages.RenewDomainResponseSchema, z.object(renewed), {
  domain: (answer) => domainView(present(answer.domain, "RenewDomainResponse.domain")),
});

const transferredDomainView = view(messages.TransferDomainResponseSchema, z.object(transferred), {
  domain: (answer) => domainView(present(answer.domain, "TransferDomainResponse.domain")),
});

const pricesView = view(messages.PriceSchema, prices, {
  registration_price: ({ registrationCents }) => euros(registrationCents),
  renewal_price: ({ renewalCents }) => euros(renewalCents),
  transfer_price: ({ transferCents }) => euros(transferCents),
  restore_price: ({ restoreCents }) => (restoreCents === undefined ? null : euros(restoreCents)),
});

const domainOfferView = view(messages.SearchDomainResponseSchema, domainOffer, {
  status: true,
  tld: ({ price }) => present(price, "SearchDomainResponse.price").tld,
  currency: "EUR",
  pricing: ({ price }) => pricesView(present(price, "SearchDomainResponse.price")),
  quote: view(messages.SearchDomainResponseSchema, quote, {}),
});

/** A row of the price list. Every listed extension is on sale, so all can be searched. */
const extensionPriceView = (price: messages.Price): z.output<typeof extensionPrice> => ({
  tld: price.tld,
  description: `.${price.tld} domain`,
  currency: "EUR",
  ...pricesView(price),
  searchable: true,
});

/** Operations that show the price of a domain, or charge it. */
export const domainOrderOperations = [
  operation({
    id: "registerDomain",
    scopes: ["domains"],
    route: "POST /domains",
    summary: "Register a domain and pay from the balance",
    description:
      "WHOIS privacy and the transfer lock are on. Without `nameservers` a DNS zone with records for `@` and `www` is created.",
    request: { body: registerDomainBody },
    responses: { 201: succeeded(registered) },
    message: "Domain registered",
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
    async body({ body: { auto_renew: autoRenew, nameservers: own = [], ...order } }, { domains, call }) {
      const request = { ...order, autoRenew, nameservers: own };
      return registeredDomainView(await domains.registerDomain(request, call));
    },
  }),
  operation({
    id: "searchDomain",
    scopes: ["domains", "read"],
    route: "GET /domains/search",
    summary: "Check whether a name can be registered, and read its exact price",
    request: { query: z.object({ domain: domainName, years: yearsText.optional() }) },
    responses: { 200: domainOffer },
    refusals: ["unsupported-extension", "registrar-unavailable"],
    body: async ({ query }, { domains, call }) => domainOfferView(await domains.searchDomain(query, call)),
  }),
  operation({
    id: "listExtensionPrices",
    scopes: ["domains", "read"],
    route: "GET /domains/pricing",
    summary: "List the extensions on sale with their net prices, by name",
    description: "The list has no pages, because its entries have no ids. It has one entry per extension.",
    request: {},
    responses: { 200: z.array(extensionPrice) },
    refusals: [],
    body: async (_request, { domains, call }) =>
      (await domains.listPrices({}, call)).prices.map(extensionPriceView),
  }),
  operation({
    id: "transferDomain",
    scopes: ["domains"],
    route: "POST /domains/transfer",
    summary: "Transfer a domain from another registrar, add a year, and pay from the balance",
    description:
      "The domain is `transferring` until the other registrar agrees, which may take days. " +
      "If the transfer fails, the price is refunded, a ticket says so, and the domain leaves the list.",
    request: { body: transferDomainBody },
    responses: { 202: succeeded(transferred) },
    message: "Domain transfer started",
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
    async body({ body }, { domains, call }) {
      const { auto_renew: autoRenew, auth_code: authCode, nameservers: own = [] } = body;
      const order = { domain: body.domain, authCode, autoRenew, nameservers: own };
      return transferredDomainView(await domains.transferDomain(order, call));
    },
  }),
];

/** Operations to renew and restore a domain, and to prepare its transfer to another registrar. */
export const renewalAndTransferOperations = [
  operation({
    id: "renewDomain",
    scopes: ["domains"],
    route: "POST /domains/{domain}/renew",
    summary: "Renew a domain and pay from the balance",
    request: { params: domainPath, body: z.object({ years: years.optional() }) },
    responses: { 200: succeeded(renewed) },
    message: "Domain renewed",
    refusals: [
      "insufficient-balance",
      "profile-incomplete",
      "renewal-in-flight",
      "domain-not-renewable",
      "registrar-failed",
      "quota-exceeded",
    ],
    async body({ params, body }, { domains, call }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      return renewedDomainView(await domains.renewDomain({ domainId, ...body }, call));
    },
  }),
  operation({
    id: "restoreDomain",
    scopes: ["domains"],
    route: "POST /domains/{domain}/restore",
    summary: "Restore an expired domain from its redemption period",
    description:
      "From `hold_begins_at` a domain can no longer be renewed. Until shortly before its deletion it can be restored for `restore_price`, which includes one more year.",
    request: { params: domainPath },
    responses: { 200: succeeded(renewed) },
    message: "Domain restored",
    refusals: [
      "insufficient-balance",
      "profile-incomplete",
      "renewal-in-flight",
      "not-restorable",
      "registrar-failed",
      "quota-exceeded",
    ],
    async body({ params }, { domains, call }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      return renewedDomainView(await domains.renewDomain({ domainId, restore: true }, call));
    },
  }),
  operation({
    id: "getAuthCode",
    // Not the scope "read": a reader of the code could transfer the domain away.
    scopes: ["domains"],
    route: "GET /domains/{domain}/auth-code",
    summary: "Read the authInfo code, which permits a transfer of the domain",
    request: { params: domainPath },
    responses: {
      200: z.object({
        status: z.literal(true),
        auth_code: z
          .string()
          .min(1)
          .meta({ examples: ["let-me-go"] }),
      }),
    },
    secret: "auth_code",
    refusals: ["domain-not-active", "registrar-unavailable", "registrar-refused"],
    async body({ params }, { domains, call }) {
      const domainId = await domainIdOf(domains, params.domain, call);
      const { authCode } = await domains.getAuthCode({ domainId }, call);
      return { status: true as const, auth_code: authCode };
    },
  }),
];
