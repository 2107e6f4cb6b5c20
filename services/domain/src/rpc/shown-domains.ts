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
import { createLru } from "@hostledger/runtime";

import type {
  DetailedDomainRow,
  DnsRecordRow,
  DomainRow,
  MarkedDomain,
} from "../reads/shown-domain.queries.ts";
import { dayMilliseconds, domainMessage, type ShownAt } from "./domain.message.ts";

/** Domains that are kept: with the JSON that the gateway keeps of each, about 3 kB, they are 30 MB at most. */
const mostKept = 10_000;

/** Domains that are kept with their records: with their JSON 25 MB where each has a hundred of them, and 2 MB where each has three. */
const mostWithRecords = 500;

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

/** A message that says the same from one instant on, and before another. */
interface KeptMessage {
  readonly message: domain.Domain;
  readonly from: string;
  readonly until: string;
}

/** One of a list, and what it was made of. */
interface KeptDomain extends KeptMessage {
  readonly row: DomainRow;
  readonly lifeCycle: ExtensionLifeCycle;
}

/**
 * Domains as lists show them. A list is read far more often than its domains change, so a domain's message is made once and
 * given again while every column, the life cycle of its extension and the number of days left are the same. The rows are
 * still read each time: what is not the account's is not among them. Whoever is given a message must not change it.
 */
export class ShownDomains {
  readonly #kept = createLru<number, KeptDomain>(mostKept);

  /** Rows of a page as messages. @param shown its `now` decides how many days are left. */
  page(rows: readonly DomainRow[], shown: ShownAt): domain.Domain[] {
    const isKept = rows.length <= longestKeptPage;
    return rows.map((row) => (isKept ? this.#messageOf(row, shown) : newMessage(row, shown, none)));
  }

  #messageOf(row: DomainRow, shown: ShownAt): domain.Domain {
    const { now, lifeCycles } = shown;
    const lifeCycle = lifeCycles.get(extensionOf(row.domain_name)) ?? genericLifeCycle;
    const known = this.#kept.get(row.id);
    if (
      known !== undefined &&
      isStillSo(known, now) &&
      isSameLifeCycle(known.lifeCycle, lifeCycle) &&
      columns.every((name) => known.row[name] === row[name])
    )
      return known.message;
    const message = newMessage(row, shown, none);
    this.#kept.set(row.id, { message, row, lifeCycle, from: now, until: sameUntil(row, now) });
    return message;
  }
}

/** One with its records, and by what it is known to be the same. */
interface MarkedMessage extends KeptMessage {
  readonly mark: string;
}

/**
 * Domains with their records. What was shown before is known again by its mark, for which one statement is enough, and whose it
 * is comes with it. Whoever is given a message must not change it.
 */
export class DetailedDomains {
  readonly #kept = createLru<number, MarkedMessage>(mostWithRecords);

  /** True where it may be enough to ask for a domain's mark. */
  has(id: number): boolean {
    return this.#kept.has(id);
  }

  /** What was shown of a domain, where that is what it is now. */
  find({ id, mark }: MarkedDomain, now: string): domain.Domain | undefined {
    const known = this.#kept.get(id);
    return known?.mark === mark && isStillSo(known, now) ? known.message : undefined;
  }

  /** A zone of more records than a page has items is made anew each time. */
  show({ records, mark, ...row }: DetailedDomainRow, shown: ShownAt): domain.Domain {
    const message = newMessage(row, shown, records);
    const { now } = shown;
    if (records.length <= longestKeptPage)
      this.#kept.set(row.id, { message, mark, from: now, until: sameUntil(row, now) });
    return message;
  }
}

function isStillSo({ from, until }: KeptMessage, now: string): boolean {
  return from <= now && now < until;
}

function newMessage(row: DomainRow, shown: ShownAt, records: readonly DnsRecordRow[]): domain.Domain {
  return create(domain.DomainSchema, domainMessage(row, shown, records));
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
