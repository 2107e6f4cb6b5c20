import { genericLifeCycle, type EndTerms, type ExtensionLifeCycle } from "@hostledger/core";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";

import type { DomainSchema } from "./domain.tables.ts";

/** A domain to look at. */
export interface DueDomain {
  readonly domain_id: number;
  readonly domain_name: string;
  /** The instant since which it is due. */
  readonly due_at: string;
}

/** Where a page of due domains begins: after this one, in the order of time and id. */
export type DuePage = Pick<DueDomain, "domain_id" | "due_at">;

/** Finds the domains for which the time has come: by an index, in as many steps as there are such domains. */
export interface LifeCycleQueries {
  /** Domains whose automatic renewal is due, longest due first. */
  dueRenewals(now: string, after: DuePage, limit: number): Promise<readonly DueDomain[]>;
  /** Domains past their expiry date that are not yet marked as expired, longest due first. */
  dueExpiries(now: string, after: DuePage, limit: number): Promise<readonly DueDomain[]>;
  /** Domains that had expired by then, that nobody renewed and that are not withheld yet, longest first. */
  dueHolds(expiredBy: string, after: DuePage, limit: number): Promise<readonly DueDomain[]>;
  /** Domains that had expired by then and that are withheld, longest first. */
  dueDeletions(expiredBy: string, after: DuePage, limit: number): Promise<readonly DueDomain[]>;
  /** The fewest days from expiry that an extension has: to the hold, and to the end. */
  shortestDays(): Promise<{ readonly toHold: number; readonly toEnd: number }>;
  /** Domains that are suspended and still resolve, or the other way round, by id. */
  unsettledSuspensions(
    afterId: number,
    limit: number,
  ): Promise<readonly Pick<DueDomain, "domain_id" | "domain_name">[]>;
  /** Domains whose last automatic renewal was not covered by the balance, by id. */
  unpaidRenewals(afterId: number, limit: number): Promise<readonly UnpaidDomain[]>;
}

/** A domain whose automatic renewal waits for its customer's money. */
export interface UnpaidDomain {
  readonly domain_id: number;
  readonly domain_name: string;
  readonly account_id: number;
  /** Cents (EUR). */
  readonly missed_cents: number;
}

/** Before every domain. */
export const fromTheFirst: DuePage = { domain_id: 0, due_at: "" };

/** Prepares the queries, once. */
export function lifeCycleQueries(database: ReadModelDatabase<DomainSchema>): LifeCycleQueries {
  const renewals = database.prepared(
    (db, parameter: ParameterOf<{ now: string; dueAt: string; domainId: number; limit: number }>) =>
      db
        .selectFrom("life_cycles")
        .select(["domain_id", "domain_name", "next_try_at as due_at"])
        .$narrowType<{ due_at: string }>()
        .where("auto_renew", "=", 1)
        .where("suspended", "=", 0)
        .where("transferring", "=", 0)
        .where("expired", "=", 0)
        .where("renewing", "=", 0)
        .where("next_try_at", "<=", parameter("now"))
        .where("next_try_at", ">=", parameter("dueAt"))
        .where((is) =>
          is.or([is("next_try_at", ">", parameter("dueAt")), is("domain_id", ">", parameter("domainId"))]),
        )
        .orderBy("next_try_at")
        .orderBy("domain_id")
        .limit(parameter("limit")),
  );
  const expiries = pastExpiry(database);
  const unpaid = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("life_cycles")
      .innerJoin("domains", "domains.id", "life_cycles.domain_id")
      .select(["life_cycles.domain_id", "life_cycles.domain_name", "domains.account_id"])
      .select("life_cycles.missed_cents")
      .$narrowType<{ missed_cents: number }>()
      .where("life_cycles.missed_cents", ">", 0)
      .where("life_cycles.auto_renew", "=", 1)
      .where("life_cycles.domain_id", ">", parameter("afterId"))
      .orderBy("life_cycles.domain_id")
      .limit(parameter("limit")),
  );
  const suspensions = openSuspensions(database);
  const lifeCycles = extensionLifeCycles(database);
  return {
    unsettledSuspensions: (afterId, limit) => suspensions.all({ afterId, limit }),
    unpaidRenewals: (afterId, limit) => unpaid.all({ afterId, limit }),
    dueRenewals: (now, { due_at: dueAt, domain_id: domainId }, limit) =>
      renewals.all({ now, dueAt, domainId, limit }),
    dueExpiries: (now, { due_at: dueAt, domain_id: domainId }, limit) =>
      expiries.all({ expired: 0, withheld: 0, now, dueAt, domainId, limit }),
    dueHolds: (now, { due_at: dueAt, domain_id: domainId }, limit) =>
      expiries.all({ expired: 1, withheld: 0, now, dueAt, domainId, limit }),
    dueDeletions: (now, { due_at: dueAt, domain_id: domainId }, limit) =>
      expiries.all({ expired: 1, withheld: 1, now, dueAt, domainId, limit }),
    async shortestDays() {
      const all = [genericLifeCycle, ...(await lifeCycles()).values()];
      return {
        toHold: Math.min(...all.map(({ graceDays }) => graceDays)),
        toEnd: Math.min(...all.map(daysToTheEnd)),
      };
    },
  };
}

/** What becomes of names that nobody renews, by extension, where it is not what is usual. */
export function extensionLifeCycles(
  database: ReadModelDatabase<DomainSchema>,
): () => Promise<ReadonlyMap<string, EndTerms>> {
  const rows = database.prepared((db) => db.selectFrom("extension_life_cycles").selectAll());
  return async () =>
    new Map(
      (await rows.all({})).map((row) => [
        row.tld,
        {
          graceDays: row.grace_days,
          redemptionDays: row.redemption_days,
          pendingDeleteDays: row.pending_delete_days,
          restoreCents: row.restore_cents === null ? null : BigInt(row.restore_cents),
        },
      ]),
    );
}

function daysToTheEnd({ graceDays, redemptionDays, pendingDeleteDays }: ExtensionLifeCycle): number {
  return graceDays + redemptionDays + pendingDeleteDays;
}

/** Domains that are suspended and still resolve, or the other way round. */
function openSuspensions(database: ReadModelDatabase<DomainSchema>) {
  return database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("life_cycles")
      .select(["domain_id", "domain_name"])
      .where((is) =>
        is.or([
          is.and([is("suspended", "=", 1), is("offline", "=", 0)]),
          is.and([is("suspended", "=", 0), is("offline", "=", 1)]),
        ]),
      )
      .where("withheld", "=", 0)
      .where("domain_id", ">", parameter("afterId"))
      .orderBy("domain_id")
      .limit(parameter("limit")),
  );
}

/** Domains past their expiry date, marked as expired and as withheld or not yet. */
function pastExpiry(database: ReadModelDatabase<DomainSchema>) {
  return database.prepared(
    (
      db,
      parameter: ParameterOf<{
        expired: number;
        withheld: number;
        now: string;
        dueAt: string;
        domainId: number;
        limit: number;
      }>,
    ) =>
      db
        .selectFrom("life_cycles")
        .select(["domain_id", "domain_name", "expiry_date as due_at"])
        .where("expired", "=", parameter("expired"))
        .where("withheld", "=", parameter("withheld"))
        .where("renewing", "=", 0)
        .where("expiry_date", "<=", parameter("now"))
        .where("expiry_date", ">=", parameter("dueAt"))
        .where((is) =>
          is.or([is("expiry_date", ">", parameter("dueAt")), is("domain_id", ">", parameter("domainId"))]),
        )
        .orderBy("expiry_date")
        .orderBy("domain_id")
        .limit(parameter("limit")),
  );
}
