import { registration, transferIn, type EndTerms } from "@hostledger/core";
import { runQueries, type RunQueries, type RunRow } from "@hostledger/work/process-runs";
import type { WorkKey } from "@hostledger/work/work-table";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage } from "@hostledger/rpc";
import type { NotNull } from "kysely";

import type { DomainSchema } from "./domain.tables.ts";
import {
  recordCount,
  shownDomainQueries,
  type DnsRecordRow,
  type DomainRow,
  type ShownDomainQueries,
} from "./shown-domain.queries.ts";

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
  /** True for a run that staff stopped; older runs included the delivery. */
  isRunStopped(run: string): Promise<boolean>;
  /** Returns at most `limit` changes in progress, and deliveries of ended runs, oldest first. @param accountId only this account's */
  openWork(limit: number, accountId?: number): Promise<readonly RunRow[]>;
  /** Finds the delivery of a run, or a change by its id. */
  openWorkOf(run: string): Promise<WorkKey | undefined>;
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
    ...queriesOfOpenWork(database),
    domainsInFlight: domainsInFlight(database),
    ...runQueries(database),
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

/** Prepares the query of life cycles that differ from the default, by extension. */
function extensionLifeCycles(
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

function queriesOfOpenWork(
  database: ReadModelDatabase<DomainSchema>,
): Pick<DomainQueries, "openWork" | "openWorkOf"> {
  const openWork = database.prepared((db, parameter: ParameterOf<{ accountId: number; limit: number }>) =>
    selectOpen(db)
      .where("run", "not in", (runs) => runs.selectFrom("process_runs").select("run"))
      .where((where) =>
        where.or([
          where("domains.account_id", "=", parameter("accountId")),
          where(parameter("accountId"), "=", 0),
        ]),
      )
      .orderBy("started_at")
      .orderBy("key")
      .limit(parameter("limit")),
  );
  const openWorkOf = database.prepared((db, parameter: ParameterOf<{ run: string }>) =>
    selectOpen(db).select(["kind", "key"]).where("run", "=", parameter("run")),
  );
  return {
    openWork: (limit, accountId = 0) => openWork.all({ accountId, limit }),
    openWorkOf: (run) => openWorkOf.first({ run }),
  };
}

/** Selects the work on registered domains that staff see, except deliveries that they abandoned while the run included them. */
function selectOpen(db: ReadModelDatabase<DomainSchema>["queries"]) {
  return db
    .selectFrom("work")
    .innerJoin("domains", "domain_name", "key")
    .select(["domains.account_id", "domain_name as subject", "run", "process", "status", "step", "reason"])
    .select("started_at")
    .where("run", "is not", null)
    .where("run", "not in", (runs) =>
      runs.selectFrom("stopped_runs").select("run").where("status", "=", "abandoned"),
    )
    .$narrowType<Record<"run" | "process" | "status" | "step" | "started_at", NotNull>>();
}
