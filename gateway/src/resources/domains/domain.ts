import type { CallOptions } from "@connectrpc/connect";
import { domain as messages } from "@hostledger/protocol";
import { z } from "zod";

import type { Caller, OperationServices } from "../../http/operation.ts";
import { domainReference, id, laterTimestamp, shownText, timestamp } from "../../http/values.schema.ts";
import { view } from "../../http/view.codec.ts";

/** The domain in requests and answers, shared by the operations on domains and on their DNS records. */

export const domainPath = z.object({ domain: domainReference });

export const recordTypes = ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"] as const;

/** A DNS record (specification §2.2). */
export const dnsRecord = z
  .object({
    id,
    type: z.string().meta({ enum: recordTypes }),
    name: shownText("shop"),
    value: shownText("198.51.100.7"),
    ttl: z.int().meta({ description: "TTL in seconds.", examples: [3_600] }),
    priority: z
      .int()
      .nullable()
      .meta({ examples: [null] }),
    created_at: timestamp,
  })
  .meta({ id: "DnsRecord", description: "A DNS record of a managed zone." });

const domainFields = z.object({
  id,
  domain_name: shownText("example.com"),
  status: z.string().meta({ enum: ["active", "suspended", "transferring", "expired"] }),
  provider: shownText("sandbox", "Name of the registrar."),
  auto_renew: z.boolean(),
  whois_privacy: z.boolean(),
  lock_status: z.boolean().meta({ description: "Registrar transfer lock." }),
  use_rdp_nameservers: z
    .boolean()
    .meta({ description: "True if the domain uses the service's nameservers." }),
  nameservers: z.array(z.string()).meta({ examples: [["ns1.hostledger.example", "ns2.hostledger.example"]] }),
  registration_date: timestamp.nullable(),
  expiry_date: laterTimestamp.nullable(),
  days_until_expiry: z
    .int()
    .nonnegative()
    .nullable()
    .meta({
      description: "Whole days until expiry, rounded down; null without an expiry date.",
      examples: [364],
    }),
  is_expiring_soon: z
    .boolean()
    .meta({ description: "True if the domain expires within 30 days.", examples: [false] }),
  dns_records_count: z
    .int()
    .nonnegative()
    .meta({ examples: [2] }),
  created_at: timestamp,
  renew_begins_at: timestamp.nullable().meta({
    examples: ["2027-11-14T01:30:00.000000Z"],
    description: "Time of the first attempt to renew automatically; null without automatic renewal.",
  }),
  hold_begins_at: timestamp.nullable().meta({
    examples: ["2028-01-05T01:30:00.000000Z"],
    description:
      "End of the time in which the expired domain can be renewed at the normal price; null during a transfer.",
  }),
  deletes_at: timestamp.nullable().meta({
    examples: ["2028-02-09T01:30:00.000000Z"],
    description:
      "Time at which the domain is deleted and free to register, unless it is renewed; null during a transfer.",
  }),
});

export const domain = domainFields.meta({ id: "Domain", description: "A domain." });

export const domainWithRecords = domainFields
  .extend({ dns_records: z.array(dnsRecord) })
  .meta({ id: "DomainWithRecords", description: "A domain with its DNS records." });

const renamed = {
  use_rdp_nameservers: ({ usesServiceNameservers }: messages.Domain) => usesServiceNameservers,
};

export const domainView = view(messages.DomainSchema, domain, renamed);

export const dnsRecordView = view(messages.DnsRecordSchema, dnsRecord, {});

export const domainWithRecordsView = view(messages.DomainSchema, domainWithRecords, {
  ...renamed,
  dns_records: ({ dnsRecords }) => dnsRecords.map(dnsRecordView),
});

/** Returns the domain id for a path's id or name. @throws ConnectError `not-found`, `unauthorized` */
export async function domainIdOf(
  domains: OperationServices["domains"],
  reference: bigint | string,
  call: CallOptions,
): Promise<bigint> {
  if (typeof reference === "bigint") return reference;
  return (await domains.findDomain({ name: reference }, call)).domainId;
}

/** Returns the revision of the domain in a path. @throws ConnectError like `domainIdOf` */
export async function domainRevisionOf(
  reference: bigint | string,
  { domains, call }: Pick<Caller, "domains" | "call">,
): Promise<bigint> {
  const domainId = await domainIdOf(domains, reference, call);
  return (await domains.getDomainRevision({ domainId }, call)).revision;
}
