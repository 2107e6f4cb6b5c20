import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  domainStatusOf,
  epochMilliseconds,
  extensionOf,
  genericLifeCycle,
  lifeCycleDates,
  nextAutomaticTryAt,
  wholeDaysUntil,
  type EndTerms,
  type ExtensionLifeCycle,
  type LifeCycleDates,
} from "@hostledger/core";
import { admin, domain } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";

import type { AnnouncedPriceRow, PriceRow, PricesNow } from "../reads/domain.queries.ts";
import type { DnsRecordRow, DomainRow } from "../reads/shown-domain.queries.ts";

/** Days before expiry from which a domain counts as expiring soon (specification §8). */
const expiringSoonDays = 30;

export const dayMilliseconds = 86_400_000;

export const recordMessage = fromRow<Omit<DnsRecordRow, "domain_id">>().toMessage(domain.DnsRecordSchema, {
  ttl: ({ ttl_seconds: ttlSeconds }) => ttlSeconds,
});

/** Instant of display, and life cycles by extension. */
export interface ShownAt {
  readonly now: string;
  readonly lifeCycles: ReadonlyMap<string, ExtensionLifeCycle>;
}

interface Beside {
  readonly now: string;
  /** Undefined if the domain does not end by itself: while leaving, or without an expiry date. */
  readonly dates: LifeCycleDates | undefined;
  readonly records: readonly DnsRecordRow[];
}

const message = fromRow<DomainRow, [Beside]>().toMessage(domain.DomainSchema, {
  status: statusOf,
  nameservers: ({ nameservers }) => hostsOf(nameservers),
  daysUntilExpiry: ({ expiry_date: expiry }, { now }) =>
    expiry === null ? undefined : wholeDaysUntil(now, expiry),
  isExpiringSoon: ({ expired, expiry_date: expiry }, { now }) => {
    const leftMs = expiry === null ? 0 : epochMilliseconds(expiry) - epochMilliseconds(now);
    return expired === 0 && leftMs > 0 && leftMs <= expiringSoonDays * dayMilliseconds;
  },
  renewBeginsAt: ({ auto_renew: autoRenew, expired, suspended, expiry_date: expiry }, { dates }) =>
    autoRenew === 1 && expired === 0 && suspended === 0 && dates !== undefined && expiry !== null
      ? (nextAutomaticTryAt(expiry, null) ?? undefined)
      : undefined,
  holdBeginsAt: (_row, { dates }) => dates?.holdBeginsAt,
  deletesAt: (_row, { dates }) => dates?.deletesAt,
  dnsRecords: (_row, { records }) => records.map((record) => recordMessage(record)),
});

/** Converts a domain to a message. @param shown its `now` determines the days left */
export function domainMessage(
  row: DomainRow,
  shown: ShownAt,
  records: readonly DnsRecordRow[] = [],
): MessageInitShape<typeof domain.DomainSchema> {
  return message(row, { now: shown.now, dates: datesOf(row, shown), records });
}

function datesOf(
  { domain_name: name, expiry_date: expiry, transferring }: DomainRow,
  { lifeCycles }: ShownAt,
): LifeCycleDates | undefined {
  if (expiry === null || transferring === 1) return undefined;
  return lifeCycleDates(expiry, lifeCycles.get(extensionOf(name)) ?? genericLifeCycle);
}

export const priceMessage = fromRow<PriceRow & EndTerms>().toMessage(domain.PriceSchema, {
  restoreCents: ({ restoreCents }) => restoreCents ?? undefined,
});

const announcedMessage = fromRow<AnnouncedPriceRow>().toMessage(admin.AnnouncedPriceSchema, {});

export const priceEntryMessage = fromRow<PricesNow & EndTerms>().toMessage(admin.PriceEntrySchema, {
  announced: ({ announced }) => announced && announcedMessage(announced),
  graceDays: ({ graceDays }) => graceDays,
  redemptionDays: ({ redemptionDays }) => redemptionDays,
  pendingDeleteDays: ({ pendingDeleteDays }) => pendingDeleteDays,
  restoreCents: ({ restoreCents }) => restoreCents ?? undefined,
});

export const staffDomainMessage = fromRow<DomainRow>().toMessage(admin.StaffDomainSchema, {
  status: statusOf,
  nameservers: ({ nameservers }) => hostsOf(nameservers),
  offline: ({ offline }) => offline === 1,
});

export function statusOf({ suspended, transferring, expired }: DomainRow): string {
  return domainStatusOf({
    suspended: suspended === 1,
    transferring: transferring === 1,
    expired: expired === 1,
  });
}

/** Parses a row's JSON array of host names. */
function hostsOf(text: string): string[] {
  const hosts: unknown = JSON.parse(text);
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];
}
