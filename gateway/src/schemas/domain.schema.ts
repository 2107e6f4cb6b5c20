import { z } from "zod";

import {
  domainName,
  euroAmount,
  flag,
  id,
  nameservers,
  resourceId,
  timestamp,
  years,
  yearsText,
} from "./values.schema.ts";

/** Path of everything below one domain. */
export const domainPath = z.object({ domain: resourceId });

/** Body of `POST /domains` (specification §4.1). */
export const registerDomainBody = z.object({
  domain: domainName,
  years: years.optional(),
  auto_renew: flag.default(false),
  nameservers: nameservers.optional(),
});

/** Query of `GET /domains/search`. */
export const searchDomainQuery = z.object({ domain: domainName, years: yearsText.optional() });

/** A DNS record (specification §2.2). */
export const dnsRecord = z.object({
  id,
  type: z.string().meta({ enum: ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"] }),
  name: z.string(),
  value: z.string(),
  ttl: z.int(),
  priority: z.int().nullable(),
  created_at: timestamp,
});

/** A domain in a list (specification §2.1). */
export const domain = z.object({
  id,
  domain_name: z.string(),
  status: z.string().meta({ enum: ["active", "suspended", "transferring", "expired"] }),
  provider: z.string(),
  auto_renew: z.boolean(),
  whois_privacy: z.boolean(),
  lock_status: z.boolean(),
  use_rdp_nameservers: z.boolean(),
  nameservers: z.array(z.string()),
  registration_date: timestamp.nullable(),
  expiry_date: timestamp.nullable(),
  days_until_expiry: z.int().nonnegative().nullable(),
  is_expiring_soon: z.boolean(),
  dns_records_count: z.int().nonnegative(),
  created_at: timestamp,
});

/** Answer of `GET /domains`. */
export const domainList = z.array(domain);

/** Answer of `GET /domains/{domain}`. */
export const domainWithRecords = domain.extend({ dns_records: z.array(dnsRecord) });

/** Answer of `POST /domains`. */
export const registeredDomain = z.object({
  status: z.literal(true),
  message: z.string(),
  invoice_id: id,
  amount_charged: euroAmount,
  years: z.int(),
  domain,
  warning: z.string().optional(),
});

const currency = z.literal("EUR");
const prices = z.object({
  registration_price: euroAmount,
  renewal_price: euroAmount,
  transfer_price: euroAmount,
});

/** Answer of `GET /domains/search`. */
export const domainOffer = z.object({
  status: z.literal(true),
  domain: z.string(),
  available: z.boolean(),
  tld: z.string(),
  currency,
  pricing: prices,
  quote: z.object({ years: z.int(), net: euroAmount, vat: euroAmount, gross: euroAmount }),
});

/** Answer of `GET /domains/pricing`. */
export const priceList = z.array(
  z.object({ tld: z.string(), description: z.string(), currency, ...prices.shape, searchable: z.boolean() }),
);
