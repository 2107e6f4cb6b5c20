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

/** Domains that are kept: with the JSON that the gateway keeps of each, about 3 kB, they are 30 MB at most. */
const mostListed = 10_000;

/** Accounts of which it is known that their lists were shown, a number each. */
const mostAccounts = 10_000;

/** Domains that are kept with their records: with their JSON 25 MB where each has a hundred of them, and 2 MB where each has three. */
const mostWithRecords = 500;

const none: readonly DnsRecordRow[] = [];

/** Later than any instant. */
const forever = "9999-12-31T23:59:59.999999Z";

/** A message that says the same from one instant on, and before another, while the domain has the same mark. */
interface KeptMessage {
  readonly message: domain.Domain;
  readonly mark: string;
  readonly from: string;
  readonly until: string;
}

/** By what a domain is known again. */
type Marked = Pick<MarkedDomain, "id" | "mark">;

/**
 * Domains as they were shown. A domain is read far more often than it changes, so its message is made once, and given again while
 * its mark is the same and so many days are left. Whose it is, is still read each time. Whoever is given a message must not
 * change it.
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

/** Domains as lists show them, and whose lists were shown. */
export class ListedDomains {
  readonly #domains = new ShownDomains(mostListed);
  readonly #accounts = createLru<number, true>(mostAccounts);

  /** True where it may be enough to ask for the marks of an account's domains. */
  has(accountId: number): boolean {
    return this.#accounts.has(accountId);
  }

  /** What was shown of all of these, where that is what they are now. */
  find(marked: readonly Marked[], now: string): domain.Domain[] | undefined {
    const known: domain.Domain[] = [];
    for (const each of marked) {
      const message = this.#domains.find(each, now);
      if (message === undefined) return undefined;
      known.push(message);
    }
    return known;
  }

  /** A page with more items than are kept is made anew each time, some after others, so that nobody waits for all of it. */
  async show(accountId: number, rows: readonly ListedDomainRow[], shown: ShownAt): Promise<domain.Domain[]> {
    if (rows.length <= longestKeptPage) {
      this.#accounts.set(accountId, true);
      return rows.map((row) => this.#domains.show(row, shown, none));
    }
    this.#accounts.delete(accountId);
    return mapInParts(rows, longestKeptPage, (row) => newMessage(row, shown));
  }
}

/** Domains with their records. */
export class DetailedDomains {
  readonly #domains = new ShownDomains(mostWithRecords);

  /** True where it may be enough to ask for a domain's mark. */
  has(id: number): boolean {
    return this.#domains.has(id);
  }

  /** What was shown of a domain, where that is what it is now. */
  find(marked: MarkedDomain, now: string): domain.Domain | undefined {
    return this.#domains.find(marked, now);
  }

  /** A zone of more records than a page has items is made anew each time. */
  show(row: DetailedDomainRow, shown: ShownAt): domain.Domain {
    const { records } = row;
    if (records.length > longestKeptPage) return newMessage(row, shown, records);
    return this.#domains.show(row, shown, records);
  }
}

function isStillSo({ from, until }: KeptMessage, now: string): boolean {
  return from <= now && now < until;
}

/** One that nobody keeps. */
export function newMessage(row: DomainRow, shown: ShownAt, records = none): domain.Domain {
  return create(domain.DomainSchema, domainMessage(row, shown, records));
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
