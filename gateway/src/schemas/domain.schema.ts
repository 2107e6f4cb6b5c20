import { z } from "zod";

import { line } from "./text.schema.ts";
import {
  domainName,
  domainReference,
  euroAmount,
  flag,
  id,
  integer,
  nameservers,
  otherwise,
  resourceId,
  timestamp,
  years,
  shownText,
  message,
  laterTimestamp,
} from "./values.schema.ts";

export const domainPath = z.object({ domain: domainReference });

export const dnsRecordPath = domainPath.extend({
  record: resourceId.meta({ description: "DNS record id." }),
});

/** Body of `POST /domains` (specification §4.1). */
export const registerDomainBody = z.object({
  domain: domainName,
  years: years.optional(),
  auto_renew: flag.default(false).meta({ description: "Renew automatically, from 7 days before expiry." }),
  nameservers: nameservers.optional(),
});

/** Body of `POST /domains/transfer`. */
export const transferDomainBody = registerDomainBody.omit({ years: true }).extend({
  domain: domainName.meta({
    description: "One label and one extension. The sandbox's other registrar holds names with `elsewhere`.",
    examples: ["elsewhere.com"],
  }),
  auth_code: line({ minimum: 1, maximum: 255 }).meta({
    description: "The code that the present registrar gives its customer.",
    examples: ["let-me-go"],
  }),
  nameservers: nameservers.optional().meta({ description: "Without them the delegation stays as it is." }),
});

/** Body of `PUT /domains/{domain}/nameservers` (specification §4.4). */
export const updateNameserversBody = z
  .object({
    use_rdp_nameservers: flag.meta({
      description: "True: the service's nameservers, and DNS is managed here. False: those in `nameservers`.",
      examples: [true],
    }),
    nameservers: nameservers.optional(),
  })
  .refine((body) => body.use_rdp_nameservers || body.nameservers !== undefined, {
    path: ["nameservers"],
    error: "is required when use_rdp_nameservers is false",
  });

const recordTypes = ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"] as const;

const recordType = z
  .string({ error: otherwise(`must be one of ${recordTypes.join(", ")}`) })
  .transform((type) => type.toUpperCase())
  .pipe(z.enum(recordTypes, { error: `must be one of ${recordTypes.join(", ")}` }))
  .meta({ override: { type: "string", enum: [...recordTypes], examples: ["A"] } });

/** Body of `POST /domains/{domain}/dns` and `PUT …/dns/{record}` (specification §2.2). */
export const dnsRecordBody = z.object({
  type: recordType,
  name: line({ minimum: 1, maximum: 255 }).meta({
    description:
      "Relative to the zone; `@` is the apex. A name that ends with the domain's own name is that name, with or without a dot at its end.",
    examples: ["shop"],
  }),
  value: line({ minimum: 1, maximum: 1_000 }).meta({
    description: "IP address, host name or text, by the rule of its type.",
    examples: ["198.51.100.7"],
  }),
  ttl: integer(60, 86_400)
    .optional()
    .meta({
      description:
        "Seconds. Without it that of the other records of its name and type; 3600 where there is none.",
      examples: [3_600],
    }),
  priority: integer(0, 65_535)
    .nullish()
    .meta({ description: "Required for MX and SRV.", examples: [null, 10] }),
});

export const recordSetPath = domainPath.extend({
  name: z
    .string()
    .max(255)
    .regex(/^(?:@|(?:\*|\w[\w-]*)(?:\.\w[\w-]*)*\.?)$/)
    .meta({ description: "Relative to the zone; `@` is the apex.", examples: ["www", "@"] }),
  type: recordType,
});

const recordsRule = "must be an array of 1 to 100 records, each with a value";
const { value, priority } = dnsRecordBody.shape;

/** Body of `PUT /domains/{domain}/dns/rrsets/{name}/{type}`. */
export const recordSetBody = dnsRecordBody.pick({ ttl: true }).extend({
  records: z
    .array(z.object({ value, priority }, { error: "must be an object with a value" }), {
      error: otherwise(recordsRule),
    })
    .min(1, { error: recordsRule })
    .max(100, { error: recordsRule })
    .meta({
      description: "All of them; what is not named is gone.",
      examples: [[{ value: "198.51.100.7" }]],
    }),
});

export const renewDomainBody = z.object({ years: years.optional() });

/** Body of `PUT /domains/{domain}/settings`; absent fields stay unchanged. */
export const domainSettingsBody = z.object({
  auto_renew: flag.optional().meta({ description: "Renew automatically.", examples: [true] }),
  whois_privacy: flag.optional().meta({ description: "WHOIS privacy.", examples: [true] }),
  lock_status: flag.optional().meta({ description: "Registrar transfer lock.", examples: [true] }),
});

/** A DNS record (specification §2.2). */
export const dnsRecord = z
  .object({
    id,
    type: z.string().meta({ enum: recordTypes }),
    name: shownText("shop"),
    value: shownText("198.51.100.7"),
    ttl: z.int().meta({ description: "Seconds.", examples: [3_600] }),
    priority: z
      .int()
      .nullable()
      .meta({ examples: [null] }),
    created_at: timestamp,
  })
  .meta({ id: "DnsRecord", description: "A DNS record of a managed zone." });

/** A record set: all records of one name and type (RFC 2181 §5). */
export const recordSet = z
  .object({
    name: shownText("www"),
    type: z.string().meta({ enum: recordTypes }),
    ttl: z.int().meta({ description: "Seconds, of all of them.", examples: [3_600] }),
    records: z.array(
      z.object({
        value: shownText("198.51.100.7"),
        priority: z
          .int()
          .nullable()
          .meta({ examples: [null] }),
      }),
    ),
  })
  .meta({ id: "RecordSet", description: "All records of one name and type in a managed zone." });

const domainFields = z.object({
  id,
  domain_name: shownText("example.com"),
  status: z.string().meta({ enum: ["active", "suspended", "transferring", "expired"] }),
  provider: shownText("sandbox", "Name of the registrar."),
  auto_renew: z.boolean(),
  whois_privacy: z.boolean(),
  lock_status: z.boolean().meta({ description: "Registrar transfer lock." }),
  use_rdp_nameservers: z.boolean().meta({ description: "It uses the service's own nameservers." }),
  nameservers: z.array(z.string()).meta({ examples: [["ns1.hostledger.example", "ns2.hostledger.example"]] }),
  registration_date: timestamp.nullable(),
  expiry_date: laterTimestamp.nullable(),
  days_until_expiry: z
    .int()
    .nonnegative()
    .nullable()
    .meta({ description: "Whole days left, rounded down; null without an expiry date.", examples: [364] }),
  is_expiring_soon: z.boolean().meta({ description: "It expires within 30 days.", examples: [false] }),
  dns_records_count: z
    .int()
    .nonnegative()
    .meta({ examples: [2] }),
  created_at: timestamp,
  renew_begins_at: timestamp.nullable().meta({
    examples: ["2027-11-14T01:30:00.000000Z"],
    description: "When automatic renewal is first tried; null where it does not renew itself.",
  }),
  hold_begins_at: timestamp.nullable().meta({
    examples: ["2028-01-05T01:30:00.000000Z"],
    description:
      "Until when it is renewed at the normal price, if nobody does before; null while it is on its way.",
  }),
  deletes_at: timestamp.nullable().meta({
    examples: ["2028-02-09T01:30:00.000000Z"],
    description:
      "When it is deleted, and anybody may register it, if nobody renews it; null while it is on its way.",
  }),
});

export const domain = domainFields.meta({ id: "Domain", description: "A domain." });

export const domainList = z.array(domain);

/** Answer of `GET /domains/{domain}`. */
export const domainWithRecords = domainFields
  .extend({ dns_records: z.array(dnsRecord) })
  .meta({ id: "DomainWithRecords", description: "A domain with its DNS records." });

/** Answer of `POST /domains`. */
export const registeredDomain = z.object({
  status: z.literal(true),
  message,
  invoice_id: id,
  amount_charged: euroAmount.meta({ description: "Gross euros taken from the balance." }),
  years: z.int(),
  domain,
  warning: z
    .string()
    .optional()
    .meta({ description: "Why the requested nameservers were not applied; the domain is registered." }),
});

/** Answer of `PUT /domains/{domain}/nameservers` and `…/settings`. */
export const changedDomain = z.object({ status: z.literal(true), message, domain });

/** Answer of `POST /domains/{domain}/dns` and `PUT …/dns/{record}`. */
export const changedDnsRecord = z.object({
  status: z.literal(true),
  message,
  record: dnsRecord,
});

/** Answer of `PUT` and `DELETE /domains/{domain}/dns/rrsets/{name}/{type}`: the record set after the change. */
export const changedRecordSet = z.object({
  status: z.literal(true),
  message,
  ...recordSet.shape,
});

/** Answer of `POST /domains/{domain}/renew`. */
export const renewedDomain = registeredDomain.omit({ warning: true });

/** Answer of `POST /domains/transfer`. */
export const transferredDomain = renewedDomain.omit({ years: true });

/** Answer of `GET /domains/{domain}/auth-code`. */
export const authCode = z.object({
  status: z.literal(true),
  auth_code: z
    .string()
    .min(1)
    .meta({ examples: ["let-me-go"] }),
});
