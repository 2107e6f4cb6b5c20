import type { domain as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { z } from "zod";

import type * as schemas from "../schemas/domain.schema.ts";
import { euros } from "./money.view.ts";
import { present } from "./present.ts";

type DomainView = z.infer<typeof schemas.domain>;

/** A domain as lists and answers show it. */
export function domainView(domain: messages.Domain): DomainView {
  return {
    id: Number(domain.id),
    domain_name: domain.domainName,
    status: domain.status,
    provider: domain.provider,
    auto_renew: domain.autoRenew,
    whois_privacy: domain.whoisPrivacy,
    lock_status: domain.lockStatus,
    use_rdp_nameservers: domain.usesServiceNameservers,
    nameservers: domain.nameservers,
    registration_date: domain.registrationDate ?? null,
    expiry_date: domain.expiryDate ?? null,
    days_until_expiry: domain.daysUntilExpiry ?? null,
    is_expiring_soon: domain.isExpiringSoon,
    dns_records_count: domain.dnsRecordsCount,
    created_at: domain.createdAt,
  };
}

/** A DNS record. */
export function dnsRecordView(record: messages.DnsRecord): z.infer<typeof schemas.dnsRecord> {
  return {
    id: Number(record.id),
    type: record.type,
    name: record.name,
    value: record.value,
    ttl: record.ttl,
    priority: record.priority ?? null,
    created_at: record.createdAt,
  };
}

/** One domain with its records. */
export function domainWithRecordsView(
  response: messages.GetDomainResponse,
): z.infer<typeof schemas.domainWithRecords> {
  const domain = present(response.domain, "GetDomainResponse.domain");
  return { ...domainView(domain), dns_records: domain.dnsRecords.map(dnsRecordView) };
}

/** A registration that succeeded; `warning` only when there is one. */
export function registeredDomainView(
  response: messages.RegisterDomainResponse,
): z.infer<typeof schemas.registeredDomain> {
  return {
    status: true,
    message: "Domain registered",
    invoice_id: Number(response.invoiceId),
    amount_charged: euros(response.amountChargedCents),
    years: response.years,
    domain: domainView(present(response.domain, "RegisterDomainResponse.domain")),
    ...defined({ warning: response.warning }),
  };
}

/** A domain after a change of its nameservers or settings. */
export function changedDomainView(
  message: string,
  changed: messages.Domain | undefined,
): z.infer<typeof schemas.changedDomain> {
  return { status: true, message, domain: domainView(present(changed, "the changed domain")) };
}

/** A DNS record that was added or replaced. */
export function changedDnsRecordView(
  message: string,
  changed: messages.DnsRecord | undefined,
): z.infer<typeof schemas.changedDnsRecord> {
  return { status: true, message, record: dnsRecordView(present(changed, "the changed DNS record")) };
}

/** A renewal that succeeded. */
export function renewedDomainView(
  response: messages.RenewDomainResponse,
): z.infer<typeof schemas.renewedDomain> {
  return {
    status: true,
    message: "Domain renewed",
    invoice_id: Number(response.invoiceId),
    amount_charged: euros(response.amountChargedCents),
    years: response.years,
    domain: domainView(present(response.domain, "RenewDomainResponse.domain")),
  };
}

/** A transfer to us that is under way. */
export function transferredDomainView(
  response: messages.TransferDomainResponse,
): z.infer<typeof schemas.transferredDomain> {
  return {
    status: true,
    message: "Domain transfer started",
    invoice_id: Number(response.invoiceId),
    amount_charged: euros(response.amountChargedCents),
    domain: domainView(present(response.domain, "TransferDomainResponse.domain")),
  };
}

function pricesView(price: messages.Price): z.infer<typeof schemas.domainOffer>["pricing"] {
  return {
    registration_price: euros(price.registrationCents),
    renewal_price: euros(price.renewalCents),
    transfer_price: euros(price.transferCents),
  };
}

/** Whether a name is free, and what it costs. */
export function domainOfferView(
  response: messages.SearchDomainResponse,
): z.infer<typeof schemas.domainOffer> {
  const price = present(response.price, "SearchDomainResponse.price");
  return {
    status: true,
    domain: response.domain,
    available: response.available,
    tld: price.tld,
    currency: "EUR",
    pricing: pricesView(price),
    quote: {
      years: response.years,
      net: euros(response.netCents),
      vat: euros(response.vatCents),
      gross: euros(response.grossCents),
    },
  };
}

/** One row of the price list. What is in the list is on sale, so all of it can be searched for. */
export function priceView(price: messages.Price): z.infer<typeof schemas.priceList>[number] {
  return {
    tld: price.tld,
    description: `.${price.tld} domain`,
    currency: "EUR",
    ...pricesView(price),
    searchable: true,
  };
}
