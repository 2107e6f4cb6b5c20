import { create } from "@bufbuild/protobuf";
import { addMilliseconds, wholeDaysUntil } from "@hostledger/core";
import { domain } from "@hostledger/protocol";
import { longestKeptPage } from "@hostledger/rpc";
import { createLru, mapInParts, type Lru } from "@hostledger/runtime";

import type {
  DetailedDomainRow,
  DnsRecordRow,
  DomainRow,
  ListedDomainRow,
  MarkedDomain,
} from "../reads/shown-domain.queries.ts";
import { dayMilliseconds, domainMessage, type ShownAt } from "./domain.message.ts";

/** Maximum cached domains of lists; at about 3 kB each with the gateway's JSON, 30 MB. */
const mostListed = 10_000;

/** Maximum accounts remembered as having read their lists. */
const mostAccounts = 10_000;

/** Maximum cached domains with records; 25 MB at a hundred records each, 2 MB at three. */
const mostWithRecords = 500;

const none: readonly DnsRecordRow[] = [];

const forever = "9999-12-31T23:59:59.999999Z";

/** A message valid within a period, while the domain's version stamp is unchanged. */
interface KeptMessage {
  readonly message: domain.Domain;
  readonly mark: string;
  readonly from: string;
  readonly until: string;
}

type Marked = Pick<MarkedDomain, "id" | "mark">;

/**
 * Caches domain messages, because domains are read far more often than changed. A message is reused while the version
 * stamp and the number of days left are unchanged. Ownership is read each time. Callers must not modify messages. The
 * cache stays because a list of 20 domains takes twice the processor time without it (ADR 0008).
 */
class ShownDomains {
  readonly #kept: Lru<number, KeptMessage>;

  constructor(mostKept: number) {
    this.#kept = createLru(mostKept);
  }

  has(id: number): boolean {
    return this.#kept.has(id);
  }

  find({ id, mark }: Marked, now: string): domain.Domain | undefined {
    const known = this.#kept.get(id);
    return known?.mark === mark && isStillSo(known, now) ? known.message : undefined;
  }

  show(row: DomainRow & Marked, shown: ShownAt, records: readonly DnsRecordRow[]): domain.Domain {
    const { now } = shown;
    const known = this.find(row, now);
    if (known !== undefined) return known;
    const message = newMessage(row, shown, records);
    this.#kept.set(row.id, { message, mark: row.mark, from: now, until: sameUntil(row, now) });
    return message;
  }
}

/** Cached domains of lists, and the accounts that read them. */
export class ListedDomains {
  readonly #domains = new ShownDomains(mostListed);
  readonly #accounts = createLru<number, true>(mostAccounts);

  /** Returns true if reading only the version stamps may suffice. */
  has(accountId: number): boolean {
    return this.#accounts.has(accountId);
  }

  /** Returns the cached messages if all are still valid. */
  find(marked: readonly Marked[], now: string): domain.Domain[] | undefined {
    const known: domain.Domain[] = [];
    for (const each of marked) {
      const message = this.#domains.find(each, now);
      if (message === undefined) return undefined;
      known.push(message);
    }
    return known;
  }

  /** Creates messages; caches them unless there are too many, and then yields to other requests in between. */
  async show(accountId: number, rows: readonly ListedDomainRow[], shown: ShownAt): Promise<domain.Domain[]> {
    if (rows.length <= longestKeptPage) {
      this.#accounts.set(accountId, true);
      return rows.map((row) => this.#domains.show(row, shown, none));
    }
    this.#accounts.delete(accountId);
    return mapInParts(rows, longestKeptPage, (row) => newMessage(row, shown));
  }
}

/** Cached domains with records. */
export class DetailedDomains {
  readonly #domains = new ShownDomains(mostWithRecords);

  /** Returns true if reading only the version stamp may suffice. */
  has(id: number): boolean {
    return this.#domains.has(id);
  }

  /** Returns the cached message if still valid. */
  find(marked: MarkedDomain, now: string): domain.Domain | undefined {
    return this.#domains.find(marked, now);
  }

  /** Creates a message and caches it, except for zones beyond a page's length. */
  show(row: DetailedDomainRow, shown: ShownAt): domain.Domain {
    const { records } = row;
    if (records.length > longestKeptPage) return newMessage(row, shown, records);
    return this.#domains.show(row, shown, records);
  }
}

function isStillSo({ from, until }: KeptMessage, now: string): boolean {
  return from <= now && now < until;
}

/** Creates a message without caching. */
export function newMessage(row: DomainRow, shown: ShownAt, records = none): domain.Domain {
  return create(domain.DomainSchema, domainMessage(row, shown, records));
}

/** Returns the next instant at which the number of days until expiry falls, rounded down to the millisecond. */
function sameUntil({ expiry_date: expiry }: DomainRow, now: string): string {
  if (expiry === null || expiry <= now) return forever;
  const next = addMilliseconds(expiry, -wholeDaysUntil(now, expiry) * dayMilliseconds);
  return `${next.slice(0, -4)}000Z`;
}
