import { create } from "@bufbuild/protobuf";
import {
  addMilliseconds,
  extensionOf,
  genericLifeCycle,
  wholeDaysUntil,
  type ExtensionLifeCycle,
} from "@hostledger/core";
import { domain } from "@hostledger/protocol";
import { longestKeptPage } from "@hostledger/rpc";
import { createLru, type Lru } from "@hostledger/runtime";

import type { DnsRecordRow, DomainRow } from "../reads/domain.queries.ts";
import { dayMilliseconds, domainMessage, type ShownAt } from "./domain.message.ts";

/** Domains that are kept: with the JSON that the gateway keeps of each, about 3 kB, they are 30 MB at most. */
const mostKept = 10_000;

const none: readonly DnsRecordRow[] = [];

/** Later than any instant. */
const forever = "9999-12-31T23:59:59.999999Z";

/** What a message is made of; a list, since asking each row for its columns takes three times as long. */
const columns: readonly (keyof DomainRow)[] = [
  "id",
  "account_id",
  "domain_name",
  "suspended",
  "suspension_reason",
  "offline",
  "transferring",
  "expired",
  "provider",
  "auto_renew",
  "whois_privacy",
  "lock_status",
  "uses_service_nameservers",
  "nameservers",
  "registration_date",
  "expiry_date",
  "dns_records_count",
  "created_at",
];

const recordColumns: readonly (keyof DnsRecordRow)[] = [
  "id",
  "domain_id",
  "type",
  "name",
  "value",
  "ttl_seconds",
  "priority",
  "created_at",
];

/** A message, and what it was made of. */
interface KeptDomain {
  readonly message: domain.Domain;
  readonly row: DomainRow;
  readonly records: readonly DnsRecordRow[];
  readonly lifeCycle: ExtensionLifeCycle;
  /** It says the same from then on, and before this. */
  readonly from: string;
  readonly until: string;
}

/**
 * Domains as lists show them, or each with its records. A list is read far more often than its domains change, so a domain's message is made once and
 * given again while every column, the life cycle of its extension and the number of days left are the same. The rows are
 * still read each time: what is not the account's is not among them. Whoever is given a message must not change it.
 */
export class ShownDomains {
  readonly #kept: Lru<number, KeptDomain>;

  constructor(capacity = mostKept) {
    this.#kept = createLru(capacity);
  }

  /** Rows of a page as messages. @param shown its `now` decides how many days are left. */
  page(rows: readonly DomainRow[], shown: ShownAt): domain.Domain[] {
    const isKept = rows.length <= longestKeptPage;
    return rows.map((row) => (isKept ? this.#messageOf(row, shown, none) : newMessage(row, shown, none)));
  }

  /** One with its records. A zone of more records than a page has items is made anew each time. */
  withRecords(row: DomainRow, records: readonly DnsRecordRow[], shown: ShownAt): domain.Domain {
    return records.length <= longestKeptPage
      ? this.#messageOf(row, shown, records)
      : newMessage(row, shown, records);
  }

  #messageOf(row: DomainRow, shown: ShownAt, records: readonly DnsRecordRow[]): domain.Domain {
    const { now, lifeCycles } = shown;
    const lifeCycle = lifeCycles.get(extensionOf(row.domain_name)) ?? genericLifeCycle;
    const known = this.#kept.get(row.id);
    if (
      known !== undefined &&
      known.from <= now &&
      now < known.until &&
      isSameLifeCycle(known.lifeCycle, lifeCycle) &&
      columns.every((name) => known.row[name] === row[name]) &&
      areSameRecords(known.records, records)
    )
      return known.message;
    const message = newMessage(row, shown, records);
    this.#kept.set(row.id, { message, row, records, lifeCycle, from: now, until: sameUntil(row, now) });
    return message;
  }
}

function newMessage(row: DomainRow, shown: ShownAt, records: readonly DnsRecordRow[]): domain.Domain {
  return create(domain.DomainSchema, domainMessage(row, shown, records));
}

function areSameRecords(some: readonly DnsRecordRow[], others: readonly DnsRecordRow[]): boolean {
  return (
    some.length === others.length &&
    some.every((record, at) => recordColumns.every((name) => record[name] === others[at]?.[name]))
  );
}

function isSameLifeCycle(one: ExtensionLifeCycle, other: ExtensionLifeCycle): boolean {
  return (
    one.graceDays === other.graceDays &&
    one.redemptionDays === other.redemptionDays &&
    one.pendingDeleteDays === other.pendingDeleteDays
  );
}

/**
 * When there is a day less until expiry: what is counted in days changes then and at no other time. It is cut to the
 * millisecond, in which whether it expires soon is counted.
 */
function sameUntil({ expiry_date: expiry }: DomainRow, now: string): string {
  if (expiry === null || expiry <= now) return forever;
  const next = addMilliseconds(expiry, -wholeDaysUntil(now, expiry) * dayMilliseconds);
  return `${next.slice(0, -4)}000Z`;
}
