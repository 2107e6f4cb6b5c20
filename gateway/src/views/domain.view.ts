import { domain as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type { KeptText } from "../http/kept-text.ts";
import * as schemas from "../schemas/domain.schema.ts";
import * as priceSchemas from "../schemas/price.schema.ts";
import { keptJson } from "./kept-json.ts";
import { euros } from "./money.view.ts";
import { present, view } from "./view.codec.ts";

/** The specification's name of what a service calls its own nameservers. */
const renamed = {
  use_rdp_nameservers: ({ usesServiceNameservers }: messages.Domain) => usesServiceNameservers,
};

/** A domain as lists and answers show it. */
export const domainView = view(messages.DomainSchema, schemas.domain, renamed);

/** Domains as a list has them. */
export const domainsJson = keptJson(domainView);

/** A DNS record. */
export const dnsRecordView = view(messages.DnsRecordSchema, schemas.dnsRecord, {});

const detailedView = view(messages.DomainSchema, schemas.domainWithRecords, {
  ...renamed,
  dns_records: ({ dnsRecords }) => dnsRecords.map(dnsRecordView),
});

const detailedJson = keptJson(detailedView);

/** One domain with its records, as JSON. */
export function domainWithRecordsJson({ domain }: messages.GetDomainResponse): KeptText {
  return detailedJson.one(present(domain, "GetDomainResponse.domain"));
}

/** A registration that succeeded; `warning` only when there is one. */
export const registeredDomainView = view(messages.RegisterDomainResponseSchema, schemas.registeredDomain, {
  status: true,
  message: "Domain registered",
  domain: ({ domain }) => domainView(present(domain, "RegisterDomainResponse.domain")),
  warning: ({ warning }) => warning,
});

/** A domain after a change of its nameservers or settings. */
export function changedDomainView(
  message: string,
  changed: messages.Domain | undefined,
): z.infer<typeof schemas.changedDomain> {
  return { status: true, message, domain: domainView(present(changed, "the changed domain")) };
}

/** A domain after a change of its settings: what follows where it does not renew itself any more. */
export function changedSettingsView(changed: messages.Domain | undefined, autoRenew: boolean | undefined) {
  const ending = autoRenew === false && changed !== undefined ? `. ${endingOf(changed)}` : "";
  return changedDomainView(`Settings updated${ending}`, changed);
}

/** A domain that ends with its term. */
export function cancelledDomainView(cancelled: messages.Domain | undefined) {
  return changedDomainView(endingOf(present(cancelled, "CancelDomainResponse.domain")), cancelled);
}

/** What becomes of a domain that does not renew itself, and when. */
function endingOf({ status, expiryDate, holdBeginsAt, deletesAt }: messages.Domain): string {
  const ending = "The domain does not renew itself";
  if (expiryDate === undefined || holdBeginsAt === undefined || deletesAt === undefined) return `${ending}.`;
  const day = (instant: string): string => instant.slice(0, 10);
  return (
    `${ending}: it ${status === "expired" ? "expired" : "expires"} on ${day(expiryDate)}, ` +
    `can be renewed at the normal price until ${day(holdBeginsAt)}, and is deleted on ${day(deletesAt)}.`
  );
}

/** A DNS record that was added or replaced. */
export function changedDnsRecordView(
  message: string,
  changed: messages.DnsRecord | undefined,
): z.infer<typeof schemas.changedDnsRecord> {
  return { status: true, message, record: dnsRecordView(present(changed, "the changed DNS record")) };
}

/** All records of one name and type. */
export const recordSetView = view(messages.RecordSetSchema, schemas.recordSet, {
  ttl: ({ ttl }) => present(ttl, "RecordSet.ttl"),
  records: ({ records }) => records.map(({ value, priority }) => ({ value, priority: priority ?? null })),
});

/** A record set that was replaced or ended. */
export function changedRecordSetView(
  message: string,
  { set }: messages.ReplaceRecordSetResponse,
): z.infer<typeof schemas.changedRecordSet> {
  return { status: true, message, ...recordSetView(present(set, "the changed record set")) };
}

/** A renewal that succeeded. */
export const renewedDomainView = renewalView("Domain renewed");

/** A restoration that succeeded. */
export const restoredDomainView = renewalView("Domain restored");

function renewalView(message: string) {
  return view(messages.RenewDomainResponseSchema, schemas.renewedDomain, {
    status: true,
    message,
    domain: ({ domain }) => domainView(present(domain, "RenewDomainResponse.domain")),
  });
}

/** A transfer to us that is under way. */
export const transferredDomainView = view(messages.TransferDomainResponseSchema, schemas.transferredDomain, {
  status: true,
  message: "Domain transfer started",
  domain: ({ domain }) => domainView(present(domain, "TransferDomainResponse.domain")),
});

/** The prices of an extension in euros, each by the name of its cents. */
const pricesView = view(messages.PriceSchema, priceSchemas.prices, {
  registration_price: ({ registrationCents }) => euros(registrationCents),
  renewal_price: ({ renewalCents }) => euros(renewalCents),
  transfer_price: ({ transferCents }) => euros(transferCents),
  restore_price: ({ restoreCents }) => (restoreCents === undefined ? null : euros(restoreCents)),
});

const quoteView = view(messages.SearchDomainResponseSchema, priceSchemas.quote, {});

/** Whether a name is free, and what it costs. */
export const domainOfferView = view(messages.SearchDomainResponseSchema, priceSchemas.domainOffer, {
  status: true,
  tld: ({ price }) => present(price, "SearchDomainResponse.price").tld,
  currency: "EUR",
  pricing: ({ price }) => pricesView(present(price, "SearchDomainResponse.price")),
  quote: quoteView,
});

/** One row of the price list. What is in the list is on sale, so all of it can be searched for. */
export function priceView(price: messages.Price): z.infer<typeof priceSchemas.priceList>[number] {
  return {
    tld: price.tld,
    description: `.${price.tld} domain`,
    currency: "EUR",
    ...pricesView(price),
    searchable: true,
  };
}
