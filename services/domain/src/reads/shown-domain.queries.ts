import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage, RequestedSelection } from "@hostledger/rpc";
import type { ExpressionBuilder } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

import type { DomainSchema } from "./domain.tables.ts";

/** A domain with its number of records. */
export type DomainRow = Omit<DomainSchema["domains"], "log_position"> & {
  readonly dns_records_count: number;
};

export type DnsRecordRow = Omit<DomainSchema["dns_records"], "log_position">;

/** A domain for customers. */
export interface ShownDomainRow extends DomainRow {
  /** Position of the last change of life cycles, which are unchanged while the position is; null if there was none. */
  readonly life_cycles_position: number | null;
}

export interface ListedDomainRow extends ShownDomainRow {
  /** Version stamp like that of {@link MarkedDomain}, with only the number of records. */
  readonly mark: string;
}

/** A domain with its records, oldest first. */
export interface DetailedDomainRow extends ShownDomainRow {
  readonly records: readonly DnsRecordRow[];
  /** Version stamp, see {@link MarkedDomain}. */
  readonly mark: string;
}

/** Account and version stamp of a domain. */
export interface MarkedDomain extends Pick<DomainRow, "id" | "account_id"> {
  /** Version stamp of a domain's row, records and life cycles; changes with any of them and with a rebuild. */
  readonly mark: string;
}

export interface ShownDomainQueries {
  domainWithRecords(id: number): Promise<DetailedDomainRow | undefined>;
  /** Reads only the version stamp in one statement, for a cached domain. */
  markedDomain(id: number): Promise<MarkedDomain | undefined>;
  /** Returns domains, oldest first. */
  domainsOf(accountId: number, page: RequestedPage): Promise<readonly ListedDomainRow[]>;
  /** Reads only the version stamps of a cached page. */
  marksOf(accountId: number, page: RequestedPage): Promise<readonly Pick<ListedDomainRow, "id" | "mark">[]>;
  selectedDomains(accountId: number, selection: RequestedSelection): Promise<readonly ShownDomainRow[]>;
  /** Returns records, oldest first. */
  recordsOf(domainId: number): Promise<readonly DnsRecordRow[]>;
}

export function shownDomainQueries(database: ReadModelDatabase<DomainSchema>): ShownDomainQueries {
  const recordsOf = database.prepared((db, parameter: ParameterOf<{ domainId: number }>) =>
    db.selectFrom("dns_records").selectAll().where("domain_id", "=", parameter("domainId")).orderBy("id"),
  );
  return {
    ...listedDomains(database),
    ...selectedDomains(database),
    domainWithRecords: domainWithRecords(database, (domainId) => recordsOf.all({ domainId })),
    markedDomain: markedDomain(database),
    recordsOf: (domainId) => recordsOf.all({ domainId }),
  };
}

function listedDomains(
  database: ReadModelDatabase<DomainSchema>,
): Pick<ShownDomainQueries, "domainsOf" | "marksOf"> {
  type Listed = Readonly<Record<"accountId" | "afterId" | "limit", number>>;
  const listed = (db: ReadonlyKysely<DomainSchema>, parameter: ParameterOf<Listed>) =>
    db
      .selectFrom("domains")
      .select(markColumns)
      .where("account_id", "=", parameter("accountId"))
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit"));
  const marks = database.prepared((db, parameter: ParameterOf<Listed>) =>
    listed(db, parameter).select(["id", "log_position"]),
  );
  const rows = database.prepared((db, parameter: ParameterOf<Listed>) => listed(db, parameter).selectAll());
  return {
    domainsOf: async (accountId, { afterId, limit }) =>
      (await rows.all({ accountId, afterId, limit })).map((row) => Object.assign(row, { mark: markOf(row) })),
    marksOf: async (accountId, { afterId, limit }) =>
      (await marks.all({ accountId, afterId, limit })).map((row) => ({
        id: row.id,
        mark: markOf(row),
      })),
  };
}

type SelectionOf = { readonly accountId: number } & Omit<
  RequestedSelection,
  "descending" | "name" | "domainId"
>;

function selectedDomains(
  database: ReadModelDatabase<DomainSchema>,
): Pick<ShownDomainQueries, "selectedDomains"> {
  const selected = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<SelectionOf>) =>
      db
        .selectFrom("domains")
        .selectAll()
        .select([recordCount, lifeCyclesPosition])
        .where("account_id", "=", parameter("accountId"))
        .where("id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .where((is) =>
          is.or([is(statusColumn(is), "=", parameter("status")), is(parameter("status"), "=", "")]),
        )
        .where("created_at", ">=", parameter("from"))
        .where("created_at", "<", parameter("before"))
        .orderBy("id", direction)
        .limit(parameter("limit")),
    );
  const [oldestFirst, newestFirst] = [selected("asc"), selected("desc")];
  return {
    selectedDomains: (accountId, { descending, afterId, limit, status, from, before }) =>
      (descending ? newestFirst : oldestFirst).all({ accountId, afterId, limit, status, from, before }),
  };
}

/** Computes the status like `domainStatusOf`. */
function statusColumn(is: ExpressionBuilder<DomainSchema, "domains">) {
  return is
    .case()
    .when("expired", "=", 1)
    .then("expired")
    .when("suspended", "=", 1)
    .then("suspended")
    .when("transferring", "=", 1)
    .then("transferring")
    .else("active")
    .end();
}

function domainWithRecords(
  database: ReadModelDatabase<DomainSchema>,
  recordsOf: (domainId: number) => Promise<readonly DomainSchema["dns_records"][]>,
): ShownDomainQueries["domainWithRecords"] {
  const byId = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db
      .selectFrom("domains")
      .selectAll()
      .select([lifeCyclesPosition, builds])
      .where("id", "=", parameter("id")),
  );
  return async (id) => {
    const row = await byId.first({ id });
    if (row === undefined) return undefined;
    const records = await recordsOf(id);
    const last = records.reduce<number | null>(
      (position, record) => Math.max(position ?? 0, record.log_position),
      null,
    );
    // Changes the row in place, because a copy would take a third of the query's time. The stamp includes changes
    // between the two reads.
    const counted = Object.assign(row, { records, dns_records_count: records.length });
    return Object.assign(counted, { mark: markOf(counted, last) });
  };
}

function markedDomain(database: ReadModelDatabase<DomainSchema>): ShownDomainQueries["markedDomain"] {
  const marks = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db
      .selectFrom("domains")
      .select(["id", "account_id", "log_position"])
      .select([...markColumns, lastRecordPosition])
      .where("id", "=", parameter("id")),
  );
  return async (id) => {
    const row = await marks.first({ id });
    return row && { id: row.id, account_id: row.account_id, mark: markOf(row, row.records_position) };
  };
}

/** PostgreSQL returns 64-bit numbers as text. */
type Count = number | bigint | string | null;

/** Columns of a version stamp besides the row's own position. */
const markColumns = [recordCount, lifeCyclesPosition, builds] as const;

type MarkColumn = "builds" | "dns_records_count" | "life_cycles_position" | "log_position";

/** @param lastRecord position of the last record, if records are shown. */
function markOf(row: Readonly<Record<MarkColumn, Count>>, lastRecord: Count = null): string {
  const ofTables = `${String(row.builds)}/${String(row.life_cycles_position)}`;
  return `${ofTables}/${String(row.log_position)}/${String(row.dns_records_count)}/${String(lastRecord)}`;
}

/** Selects a number that grows with every rebuild of the tables. */
function builds(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("checkpoints")
    .select(({ fn }) => fn.sum<number>("generation").as("builds"))
    .where("projection", "in", ["domains", "prices"])
    .$asScalar()
    .as("builds");
}

/** Selects the position of the last life cycle, so that life cycles are read again only after a change. */
function lifeCyclesPosition(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("extension_life_cycles")
    .select((lifeCycles) => lifeCycles.fn.max("extension_life_cycles.log_position").as("position"))
    .$asScalar()
    .as("life_cycles_position");
}

/** Selects the position of the last added or changed record. */
function lastRecordPosition(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("dns_records")
    .whereRef("dns_records.domain_id", "=", "domains.id")
    .select((records) => records.fn.max("dns_records.log_position").as("position"))
    .$asScalar()
    .as("records_position");
}

/** Counts records on reading: an event alone does not determine the count, and the index makes counting cheap. */
export function recordCount(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("dns_records")
    .whereRef("dns_records.domain_id", "=", "domains.id")
    .select((records) => records.fn.countAll<number>().as("count"))
    .$asScalar()
    .$notNull()
    .as("dns_records_count");
}
