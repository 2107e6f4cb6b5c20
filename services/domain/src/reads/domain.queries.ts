import { registration, transferIn, type EndTerms } from "@hostledger/core";
import { runQueries, type RunQueries } from "@hostledger/work/process-runs";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage } from "@hostledger/rpc";

import type { DomainSchema } from "./domain.tables.ts";
import { extensionLifeCycles } from "./extension-life-cycles.queries.ts";
import {
  recordCount,
  shownDomainQueries,
  type DnsRecordRow,
  type DomainRow,
  type ShownDomainQueries,
} from "./shown-domain.queries.ts";

/** A change in progress. */
export type PendingChangeRow = Omit<DomainSchema["pending_changes"], "log_position">;

export type OpenChangeRow = PendingChangeRow & Pick<DomainRow, "account_id">;

/** An unfinished delivery. */
export type DeliveryRow = Omit<DomainSchema["deliveries"], "log_position">;

export type PriceRow = Omit<DomainSchema["prices"], "log_position">;

export type AnnouncedPriceRow = Omit<DomainSchema["announced_prices"], "log_position">;

/** Prices of an extension in force, and announced prices. */
export interface PricesNow extends PriceRow {
  readonly announced: AnnouncedPriceRow | undefined;
}

export interface DomainQueries extends RunQueries, ShownDomainQueries {
  domainById(id: number): Promise<DomainRow | undefined>;
  domainCount(accountId: number): Promise<number>;
  /** Returns all domains, oldest first. */
  allDomains(page: RequestedPage): Promise<readonly DomainRow[]>;
  recordById(recordId: number): Promise<DnsRecordRow | undefined>;
  /** Returns the life cycles of extensions that differ from the default. */
  lifeCycles(): Promise<ReadonlyMap<string, EndTerms>>;
  /** Returns prices in force at an instant by extension, inactive ones too. */
  allPrices(at: string): Promise<readonly PricesNow[]>;
  /** Returns changes of one account or all, with their accounts. */
  openChanges(limit: number, accountId?: number): Promise<readonly OpenChangeRow[]>;
  pendingChange(changeId: string): Promise<PendingChangeRow | undefined>;
  /** True for a run that staff stopped; older runs included the delivery. */
  isRunStopped(run: string): Promise<boolean>;
  /** Returns at most `limit` deliveries of ended runs, oldest first. @param accountId only this account's */
  openDeliveries(limit: number, accountId?: number): Promise<readonly DeliveryRow[]>;
  openDeliveryOf(run: string): Promise<DeliveryRow | undefined>;
  /** Counts an account's unfinished registrations and transfers. */
  domainsInFlight(accountId: number): Promise<number>;
}

export function domainQueries(database: ReadModelDatabase<DomainSchema>): DomainQueries {
  const domainById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("domains").selectAll().select(recordCount).where("id", "=", parameter("id")),
  );
  const recordById = database.prepared((db, parameter: ParameterOf<{ recordId: number }>) =>
    db.selectFrom("dns_records").selectAll().where("id", "=", parameter("recordId")),
  );
  const stoppedRun = database.prepared((db, parameter: ParameterOf<{ run: string }>) =>
    db.selectFrom("stopped_runs").select("run").where("run", "=", parameter("run")),
  );
  return {
    domainById: (id) => domainById.first({ id }),
    domainCount: domainCount(database),
    allDomains: allDomains(database),
    recordById: (recordId) => recordById.first({ recordId }),
    allPrices: allPrices(database),
    lifeCycles: extensionLifeCycles(database),
    isRunStopped: async (run) => (await stoppedRun.first({ run })) !== undefined,
    ...shownDomainQueries(database),
    ...queriesOfOpenChanges(database),
    ...queriesOfOpenDeliveries(database),
    domainsInFlight: domainsInFlight(database),
    ...runQueries(database),
  };
}

function queriesOfOpenChanges(
  database: ReadModelDatabase<DomainSchema>,
): Pick<DomainQueries, "openChanges" | "pendingChange"> {
  const { queries } = database;
  return {
    openChanges: (limit, accountId) =>
      queries
        .selectFrom("pending_changes")
        .innerJoin("domains", "domains.id", "pending_changes.domain_id")
        .selectAll("pending_changes")
        .select("domains.account_id")
        .$if(accountId !== undefined, (of) => of.where("domains.account_id", "=", accountId ?? 0))
        .orderBy("started_at")
        .limit(limit)
        .execute(),
    pendingChange: (changeId) =>
      queries.selectFrom("pending_changes").selectAll().where("change_id", "=", changeId).executeTakeFirst(),
  };
}

function allPrices(database: ReadModelDatabase<DomainSchema>): DomainQueries["allPrices"] {
  const set = database.prepared((db) => db.selectFrom("prices").selectAll().orderBy("tld"));
  const announced = database.prepared((db) => db.selectFrom("announced_prices").selectAll());
  return async (at) => {
    const byExtension = new Map((await announced.all({})).map((row) => [row.tld, row]));
    return (await set.all({})).map((row) => {
      const next = byExtension.get(row.tld);
      return next !== undefined && next.valid_from <= at
        ? { ...row, ...next, announced: undefined }
        : { ...row, announced: next };
    });
  };
}

function allDomains(database: ReadModelDatabase<DomainSchema>): DomainQueries["allDomains"] {
  const rows = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("domains")
      .selectAll()
      .select(recordCount)
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  return ({ afterId, limit }) => rows.all({ afterId, limit });
}

function domainCount(database: ReadModelDatabase<DomainSchema>): DomainQueries["domainCount"] {
  const domains = database.prepared((db, parameter: ParameterOf<{ accountId: number }>) =>
    db
      .selectFrom("domains")
      .select((row) => row.fn.countAll<number | string>().as("domains"))
      .where("account_id", "=", parameter("accountId")),
  );
  // PostgreSQL counts in 64 bits and returns text.
  return async (accountId) => Number((await domains.first({ accountId }))?.domains ?? 0);
}

function domainsInFlight(database: ReadModelDatabase<DomainSchema>): DomainQueries["domainsInFlight"] {
  const orders = database.prepared((db, parameter: ParameterOf<{ accountId: number }>) =>
    db
      .selectFrom("process_runs")
      .select((row) => row.fn.countAll<number | string>().as("orders"))
      .where("account_id", "=", parameter("accountId"))
      .where("process", "in", [registration.name, transferIn.name]),
  );
  // PostgreSQL counts in 64 bits and returns text.
  return async (accountId) => Number((await orders.first({ accountId }))?.orders ?? 0);
}

function queriesOfOpenDeliveries(
  database: ReadModelDatabase<DomainSchema>,
): Pick<DomainQueries, "openDeliveries" | "openDeliveryOf"> {
  const openDeliveries = database.prepared(
    (db, parameter: ParameterOf<{ accountId: number; limit: number }>) =>
      selectOpen(db)
        .where("run", "not in", (runs) => runs.selectFrom("process_runs").select("run"))
        .where((where) =>
          where.or([where("account_id", "=", parameter("accountId")), where(parameter("accountId"), "=", 0)]),
        )
        .orderBy("started_at")
        .orderBy("domain_name")
        .limit(parameter("limit")),
  );
  const openDeliveryOf = database.prepared((db, parameter: ParameterOf<{ run: string }>) =>
    selectOpen(db).where("run", "=", parameter("run")),
  );
  return {
    openDeliveries: (limit, accountId = 0) => openDeliveries.all({ accountId, limit }),
    openDeliveryOf: (run) => openDeliveryOf.first({ run }),
  };
}

/** Selects deliveries of registered domains, except those that staff abandoned while the run included them. */
function selectOpen(db: ReadModelDatabase<DomainSchema>["queries"]) {
  return db
    .selectFrom("deliveries")
    .selectAll()
    .where("status", "in", ["running", "waiting", "parked"])
    .where("run", "not in", (runs) =>
      runs.selectFrom("stopped_runs").select("run").where("status", "=", "abandoned"),
    );
}
