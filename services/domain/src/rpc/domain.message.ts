import type { MessageInitShape } from "@bufbuild/protobuf";
import { domainStatusOf, epochMilliseconds, wholeDaysUntil } from "@hostledger/core";
import type { admin, domain } from "@hostledger/protocol";

import type { DnsRecordRow, DomainRow, PriceRow } from "../reads/domain.queries.ts";

/** A domain that expires within so many days is about to expire (specification §8). */
const expiringSoonDays = 30;

const dayMilliseconds = 86_400_000;

/** A domain as a Connect message. @param now decides how many days are left. */
export function domainMessage(
  row: DomainRow,
  now: string,
  records: readonly DnsRecordRow[] = [],
): MessageInitShape<typeof domain.DomainSchema> {
  const { registration_date: registrationDate, expiry_date: expiryDate } = row;
  const leftMs = expiryDate === null ? 0 : epochMilliseconds(expiryDate) - epochMilliseconds(now);
  return {
    id: BigInt(row.id),
    domainName: row.domain_name,
    status: domainStatusOf({
      suspended: row.suspended === 1,
      transferring: row.transferring === 1,
      expired: row.expired === 1,
    }),
    provider: row.provider,
    autoRenew: row.auto_renew === 1,
    whoisPrivacy: row.whois_privacy === 1,
    lockStatus: row.lock_status === 1,
    usesServiceNameservers: row.uses_service_nameservers === 1,
    nameservers: hostsOf(row.nameservers),
    ...(registrationDate === null ? {} : { registrationDate }),
    ...(expiryDate === null ? {} : { expiryDate, daysUntilExpiry: wholeDaysUntil(now, expiryDate) }),
    isExpiringSoon: row.expired === 0 && leftMs > 0 && leftMs <= expiringSoonDays * dayMilliseconds,
    dnsRecordsCount: row.dns_records_count,
    createdAt: row.created_at,
    dnsRecords: records.map(recordMessage),
  };
}

/** An extension's prices as a customer sees them. */
export function priceMessage(row: PriceRow): MessageInitShape<typeof domain.PriceSchema> {
  return { tld: row.tld, ...amountsOf(row) };
}

/** An extension's prices as staff sees them. */
export function priceEntryMessage(row: PriceRow): MessageInitShape<typeof admin.PriceEntrySchema> {
  return { tld: row.tld, ...amountsOf(row), active: row.active === 1 };
}

function amountsOf(row: PriceRow): Record<"registrationCents" | "renewalCents" | "transferCents", bigint> {
  return {
    registrationCents: BigInt(row.registration_cents),
    renewalCents: BigInt(row.renewal_cents),
    transferCents: BigInt(row.transfer_cents),
  };
}

/** A DNS record as a Connect message. */
export function recordMessage(
  row: Omit<DnsRecordRow, "domain_id">,
): MessageInitShape<typeof domain.DnsRecordSchema> {
  return {
    id: BigInt(row.id),
    type: row.type,
    name: row.name,
    value: row.value,
    ttl: row.ttl_seconds,
    createdAt: row.created_at,
    ...(row.priority === null ? {} : { priority: row.priority }),
  };
}

/** Reads the JSON array of a row. */
function hostsOf(text: string): string[] {
  const hosts: unknown = JSON.parse(text);
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];
}
