import { domain as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type { KeptText } from "../http/kept-text.ts";
import * as schemas from "../schemas/domain.schema.ts";
import * as priceSchemas from "../schemas/price.schema.ts";
import { keptJson } from "./kept-json.ts";
import { euros } from "./money.view.ts";
import { present, view } from "./view.codec.ts";

const renamed = {
  use_rdp_nameservers: ({ usesServiceNameservers }: messages.Domain) => usesServiceNameservers,
};

export const domainView = view(messages.DomainSchema, schemas.domain, renamed);

/** Caches the JSON of domains in lists. */
export const domainsJson = keptJson(domainView);

export const dnsRecordView = view(messages.DnsRecordSchema, schemas.dnsRecord, {});

const detailedView = view(messages.DomainSchema, schemas.domainWithRecords, {
  ...renamed,
  dns_records: ({ dnsRecords }) => dnsRecords.map(dnsRecordView),
});

const detailedJson = keptJson(detailedView);

export function domainWithRecordsJson({ domain }: messages.GetDomainResponse): KeptText {
  return detailedJson.one(present(domain, "GetDomainResponse.domain"));
}

/** Answer of a successful registration; `warning` only if present. */
export const registeredDomainView = view(messages.RegisterDomainResponseSchema, schemas.registeredDomain, {
  status: true,
  message: "Domain registered",
  domain: ({ domain }) => domainView(present(domain, "RegisterDomainResponse.domain")),
  warning: ({ warning }) => warning,
});

export function changedDomainView(
  message: string,
  changed: messages.Domain | undefined,
): z.infer<typeof schemas.changedDomain> {
  return { status: true, message, domain: domainView(present(changed, "the changed domain")) };
}

/** Answer of changed settings; explains what follows if automatic renewal is off. */
export function changedSettingsView(changed: messages.Domain | undefined, autoRenew: boolean | undefined) {
  const ending = autoRenew === false && changed !== undefined ? `. ${endingOf(changed)}` : "";
  return changedDomainView(`Settings updated${ending}`, changed);
}

export function cancelledDomainView(cancelled: messages.Domain | undefined) {
  return changedDomainView(endingOf(present(cancelled, "CancelDomainResponse.domain")), cancelled);
}

/** Explains when a domain without automatic renewal expires and is deleted. */
function endingOf({ status, expiryDate, holdBeginsAt, deletesAt }: messages.Domain): string {
  const ending = "The domain does not renew itself";
  if (expiryDate === undefined || holdBeginsAt === undefined || deletesAt === undefined) return `${ending}.`;
  const day = (instant: string): string => instant.slice(0, 10);
  return (
    `${ending}: it ${status === "expired" ? "expired" : "expires"} on ${day(expiryDate)}, ` +
    `can be renewed at the normal price until ${day(holdBeginsAt)}, and is deleted on ${day(deletesAt)}.`
  );
}

export function changedDnsRecordView(
  message: string,
  changed: messages.DnsRecord | undefined,
): z.infer<typeof schemas.changedDnsRecord> {
  return { status: true, message, record: dnsRecordView(present(changed, "the changed DNS record")) };
}

export const recordSetView = view(messages.RecordSetSchema, schemas.recordSet, {
  ttl: ({ ttl }) => present(ttl, "RecordSet.ttl"),
  records: ({ records }) => records.map(({ value, priority }) => ({ value, priority: priority ?? null })),
});

export function changedRecordSetView(
  message: string,
  { set }: messages.ReplaceRecordSetResponse,
): z.infer<typeof schemas.changedRecordSet> {
  return { status: true, message, ...recordSetView(present(set, "the changed record set")) };
}

export const renewedDomainView = renewalView("Domain renewed");

export const restoredDomainView = renewalView("Domain restored");

function renewalView(message: string) {
  return view(messages.RenewDomainResponseSchema, schemas.renewedDomain, {
    status: true,
    message,
    domain: ({ domain }) => domainView(present(domain, "RenewDomainResponse.domain")),
  });
}

/** Answer of a transfer that has started. */
export const transferredDomainView = view(messages.TransferDomainResponseSchema, schemas.transferredDomain, {
  status: true,
  message: "Domain transfer started",
  domain: ({ domain }) => domainView(present(domain, "TransferDomainResponse.domain")),
});

const pricesView = view(messages.PriceSchema, priceSchemas.prices, {
  registration_price: ({ registrationCents }) => euros(registrationCents),
  renewal_price: ({ renewalCents }) => euros(renewalCents),
  transfer_price: ({ transferCents }) => euros(transferCents),
  restore_price: ({ restoreCents }) => (restoreCents === undefined ? null : euros(restoreCents)),
});

const quoteView = view(messages.SearchDomainResponseSchema, priceSchemas.quote, {});

/** Availability and price of a name. */
export const domainOfferView = view(messages.SearchDomainResponseSchema, priceSchemas.domainOffer, {
  status: true,
  tld: ({ price }) => present(price, "SearchDomainResponse.price").tld,
  currency: "EUR",
  pricing: ({ price }) => pricesView(present(price, "SearchDomainResponse.price")),
  quote: quoteView,
});

/** A row of the price list. Every listed extension is on sale, so all can be searched. */
export function priceView(price: messages.Price): z.infer<typeof priceSchemas.priceList>[number] {
  return {
    tld: price.tld,
    description: `.${price.tld} domain`,
    currency: "EUR",
    ...pricesView(price),
    searchable: true,
  };
}
