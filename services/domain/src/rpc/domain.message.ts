import type { MessageInitShape } from "@bufbuild/protobuf";
import { domainStatusOf, epochMilliseconds, wholeDaysUntil } from "@hostledger/core";
import { admin, domain } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";

import type { DnsRecordRow, DomainRow, PriceRow } from "../reads/domain.queries.ts";

/** A domain that expires within so many days is about to expire (specification §8). */
const expiringSoonDays = 30;

const dayMilliseconds = 86_400_000;

/** A DNS record as a Connect message. */
export const recordMessage = fromRow<Omit<DnsRecordRow, "domain_id">>().toMessage(domain.DnsRecordSchema, {
  ttl: ({ ttl_seconds: ttlSeconds }) => ttlSeconds,
});

/** A domain with what else is shown of it, and when. */
interface ShownDomain extends DomainRow {
  readonly now: string;
  readonly records: readonly DnsRecordRow[];
}

const message = fromRow<ShownDomain>().toMessage(domain.DomainSchema, {
  status: statusOf,
  nameservers: ({ nameservers }) => hostsOf(nameservers),
  daysUntilExpiry: ({ now, expiry_date: expiry }) =>
    expiry === null ? undefined : wholeDaysUntil(now, expiry),
  isExpiringSoon: ({ now, expired, expiry_date: expiry }) => {
    const leftMs = expiry === null ? 0 : epochMilliseconds(expiry) - epochMilliseconds(now);
    return expired === 0 && leftMs > 0 && leftMs <= expiringSoonDays * dayMilliseconds;
  },
  dnsRecords: ({ records }) => records.map(recordMessage),
});

/** A domain as a Connect message. @param now decides how many days are left. */
export function domainMessage(
  row: DomainRow,
  now: string,
  records: readonly DnsRecordRow[] = [],
): MessageInitShape<typeof domain.DomainSchema> {
  return message({ ...row, now, records });
}

/** An extension's prices as a customer sees them. */
export const priceMessage = fromRow<PriceRow>().toMessage(domain.PriceSchema, {});

/** An extension's prices as staff sees them. */
export const priceEntryMessage = fromRow<PriceRow>().toMessage(admin.PriceEntrySchema, {});

/** A domain as staff see it. */
export const staffDomainMessage = fromRow<DomainRow>().toMessage(admin.StaffDomainSchema, {
  status: statusOf,
  nameservers: ({ nameservers }) => hostsOf(nameservers),
});

function statusOf({ suspended, transferring, expired }: DomainRow): string {
  return domainStatusOf({
    suspended: suspended === 1,
    transferring: transferring === 1,
    expired: expired === 1,
  });
}

/** Reads the JSON array of a row. */
function hostsOf(text: string): string[] {
  const hosts: unknown = JSON.parse(text);
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];
}
