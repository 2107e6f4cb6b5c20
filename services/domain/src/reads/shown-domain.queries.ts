import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";
import type { RequestedPage, RequestedSelection } from "@hostledger/rpc";
import type { ExpressionBuilder } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

import type { DomainSchema } from "./domain.tables.ts";

/** A domain as it is read. */
export type DomainRow = Omit<DomainSchema["domains"], "log_position"> & {
  readonly dns_records_count: number;
};

/** A DNS record as it is read. */
export type DnsRecordRow = Omit<DomainSchema["dns_records"], "log_position">;

/** A domain as customers are shown it. */
export interface ShownDomainRow extends DomainRow {
  /** The place in the log of what was last said of life cycles: they are the same while it is. Null while nothing was. */
  readonly life_cycles_position: number | null;
}

/** One of a list. */
export interface ListedDomainRow extends ShownDomainRow {
  /** As that of {@link MarkedDomain}, without its records but their number. */
  readonly mark: string;
}

/** One with its records, oldest first. */
export interface DetailedDomainRow extends ShownDomainRow {
  readonly records: readonly DnsRecordRow[];
  /** As {@link MarkedDomain}. */
  readonly mark: string;
}

/** Whose a domain is, and by what it is known again. */
export interface MarkedDomain extends Pick<DomainRow, "id" | "account_id"> {
  /**
   * The same for the same row, records and life cycles: where in the log they were last changed, how many records there are, and
   * of which build the tables are. Another build may have made other rows of the same facts.
   */
  readonly mark: string;
}

/** How domains are read to be shown. */
export interface ShownDomainQueries {
  domainWithRecords(id: number): Promise<DetailedDomainRow | undefined>;
  /** One statement, for a domain that was read before: most have not changed since. */
  markedDomain(id: number): Promise<MarkedDomain | undefined>;
  /** Oldest first. */
  domainsOf(accountId: number, page: RequestedPage): Promise<readonly ListedDomainRow[]>;
  /** The marks of the same rows, for a page that was read before: most have not changed since. */
  marksOf(accountId: number, page: RequestedPage): Promise<readonly Pick<ListedDomainRow, "id" | "mark">[]>;
  /** Those asked for, in the order asked for. */
  selectedDomains(accountId: number, selection: RequestedSelection): Promise<readonly ShownDomainRow[]>;
  /** Oldest first. */
  recordsOf(domainId: number): Promise<readonly DnsRecordRow[]>;
}

/** Prepares the queries, once. */
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

/** As `domainStatusOf` has it. */
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
    // The row is nobody else's yet, and a copy would cost as much as a third of the query. What came in between is of the mark, too.
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

/** Numbers of 64 bits come as text from PostgreSQL. */
type Count = number | bigint | string | null;

/** What a mark is made of, beside the row's own place in the log. */
const markColumns = [recordCount, lifeCyclesPosition, builds] as const;

type MarkColumn = "builds" | "dns_records_count" | "life_cycles_position" | "log_position";

/** @param lastRecord the place in the log of the last of its records, where these are shown. */
function markOf(row: Readonly<Record<MarkColumn, Count>>, lastRecord: Count = null): string {
  const ofTables = `${String(row.builds)}/${String(row.life_cycles_position)}`;
  return `${ofTables}/${String(row.log_position)}/${String(row.dns_records_count)}/${String(lastRecord)}`;
}

/** Rises whenever the tables that a shown domain is made of are built anew. */
function builds(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("checkpoints")
    .select(({ fn }) => fn.sum<number>("generation").as("builds"))
    .where("projection", "in", ["domains", "prices"])
    .$asScalar()
    .as("builds");
}

/** With each row, so that life cycles are read again only where something was said of them. */
function lifeCyclesPosition(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("extension_life_cycles")
    .select((lifeCycles) => lifeCycles.fn.max("extension_life_cycles.log_position").as("position"))
    .$asScalar()
    .as("life_cycles_position");
}

/** A record that comes or changes has a later place than all before it. */
function lastRecordPosition(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("dns_records")
    .whereRef("dns_records.domain_id", "=", "domains.id")
    .select((records) => records.fn.max("dns_records.log_position").as("position"))
    .$asScalar()
    .as("records_position");
}

/** Counted where it is read: a row cannot be counted up from a fact alone, and the index makes the count cheap. */
export function recordCount(domains: ExpressionBuilder<DomainSchema, "domains">) {
  return domains
    .selectFrom("dns_records")
    .whereRef("dns_records.domain_id", "=", "domains.id")
    .select((records) => records.fn.countAll<number>().as("count"))
    .$asScalar()
    .$notNull()
    .as("dns_records_count");
}
