import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";

import type { DomainSchema } from "../projections/domain.tables.ts";

/** A domain as it is read. */
export type DomainRow = Omit<DomainSchema["domains"], "log_position">;

/** A DNS record as it is read. */
export type DnsRecordRow = Omit<DomainSchema["dns_records"], "log_position">;

/** An extension's prices as they are read. */
export type PriceRow = Omit<DomainSchema["prices"], "log_position">;

/** A process run as it is read. */
export type RunRow = Omit<DomainSchema["process_runs"], "log_position">;

/** What the domain service reads. */
export interface DomainQueries {
  domainById(id: number): DomainRow | undefined;
  /** Oldest first. */
  domainsOf(accountId: number): readonly DomainRow[];
  /** Oldest first. */
  recordsOf(domainId: number): readonly DnsRecordRow[];
  /** By extension, inactive ones too. */
  allPrices(): readonly PriceRow[];
  runById(run: string): RunRow | undefined;
  /** Oldest first, at most so many. */
  unfinishedRuns(limit: number): readonly RunRow[];
}

/** Prepares the queries, once. */
export function domainQueries(database: ReadModelDatabase<DomainSchema>): DomainQueries {
  const domainById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("domains").selectAll().where("id", "=", parameter("id")),
  );
  const domainsOf = database.prepared((db, parameter: ParameterOf<{ accountId: number }>) =>
    db.selectFrom("domains").selectAll().where("account_id", "=", parameter("accountId")).orderBy("id"),
  );
  const recordsOf = database.prepared((db, parameter: ParameterOf<{ domainId: number }>) =>
    db.selectFrom("dns_records").selectAll().where("domain_id", "=", parameter("domainId")).orderBy("id"),
  );
  const allPrices = database.prepared((db) => db.selectFrom("prices").selectAll().orderBy("tld"));
  const runById = database.prepared((db, parameter: ParameterOf<{ run: string }>) =>
    db.selectFrom("process_runs").selectAll().where("run", "=", parameter("run")),
  );
  const unfinishedRuns = database.prepared((db, parameter: ParameterOf<{ limit: number }>) =>
    db.selectFrom("process_runs").selectAll().orderBy("started_at").orderBy("run").limit(parameter("limit")),
  );
  return {
    domainById: (id) => domainById.first({ id }),
    domainsOf: (accountId) => domainsOf.all({ accountId }),
    recordsOf: (domainId) => recordsOf.all({ domainId }),
    allPrices: () => allPrices.all({}),
    runById: (run) => runById.first({ run }),
    unfinishedRuns: (limit) => unfinishedRuns.all({ limit }),
  };
}
