import { runQueries, type RunQueries } from "@hostledger/process-manager/process-runs";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";
import type { RequestedPage, RequestedSelection } from "@hostledger/rpc";

import { catalogueQueries, type CatalogueQueries } from "./catalogue.queries.ts";
import type { ServerSchema } from "./server.tables.ts";

type Row<Table extends keyof ServerSchema> = Omit<ServerSchema[Table], "log_position">;

/** A server as it is read. */
export type ServerRow = Row<"servers">;

/** A firewall rule as it is read. */
export type FirewallRuleRow = Row<"firewall_rules">;

/** Which servers staff ask for. */
interface WantedServers {
  /** Only this account's. Default: everybody's. */
  readonly accountId?: number;
  /** Without those that have ended. */
  readonly presentOnly: boolean;
}

/** What the server service reads. */
export interface ServerQueries extends CatalogueQueries, RunQueries {
  /** One that has ended, too. */
  serverById(id: number): Promise<ServerRow | undefined>;
  /** In the order asked for, without those that have ended. */
  serversOf(accountId: number, selection: RequestedSelection): Promise<readonly ServerRow[]>;
  /** By id. */
  allServers(wanted: WantedServers, page: RequestedPage): Promise<readonly ServerRow[]>;
  serverCount(wanted: WantedServers): Promise<number>;
  /** By position. */
  firewallRulesOf(serverId: number): Promise<readonly FirewallRuleRow[]>;
  /** Active servers that have expired by the instant, the longest expired first, at most so many. */
  expiredServers(instant: string, limit: number): Promise<readonly ServerRow[]>;
  /**
   * Servers that were cancelled and have expired by the instant, the longest expired first, at most so many. Without those
   * that staff hold, or released behind another instant.
   */
  dueCancellations(instant: string, releasedBy: string, limit: number): Promise<readonly ServerRow[]>;
  /**
   * Suspended servers that expired by the instant and were suspended by then, the longest expired first, at most so many.
   * Without those that staff hold, or released behind another instant.
   */
  idleServers(instant: string, releasedBy: string, limit: number): Promise<readonly ServerRow[]>;
  /** Servers whose automatic renewal is due by the instant, longest due first, at most so many. */
  dueRenewals(instant: string, limit: number): Promise<readonly ServerRow[]>;
  /** Servers whose last automatic renewal was not covered by the balance, by id, behind an id, at most so many. */
  unpaidRenewals(afterId: number, limit: number): Promise<readonly ServerRow[]>;
  /** Servers that have not ended by when what their node shall do last changed, the latest first, those before the given one. */
  lastChangedServers(
    before: { readonly changedAt: string; readonly id: number },
    limit: number,
  ): Promise<readonly ServerRow[]>;
}

type Database = ReadModelDatabase<ServerSchema>;

/** Servers of one account, as parameters of a query. */
type SelectionOf = { readonly accountId: number } & Omit<RequestedSelection, "descending" | "domainId">;

/** Prepares the queries, once. */
export function serverQueries(database: Database): ServerQueries {
  return {
    ...queriesOfServers(database),
    ...queriesOfWantedServers(database),
    ...queriesOfTerms(database),
    ...catalogueQueries(database),
    ...runQueries(database),
  };
}

function queriesOfServers(
  database: Database,
): Pick<ServerQueries, "serverById" | "serversOf" | "firewallRulesOf" | "lastChangedServers"> {
  const serverById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("servers").selectAll().where("id", "=", parameter("id")),
  );
  const serversIn = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<SelectionOf>) =>
      db
        .selectFrom("servers")
        .selectAll()
        .where("account_id", "=", parameter("accountId"))
        .where("id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .where("status", "!=", "terminated")
        .where((is) => is.or([is("status", "=", parameter("status")), is(parameter("status"), "=", "")]))
        .where((is) => is.or([is("hostname", "=", parameter("name")), is(parameter("name"), "=", "")]))
        .where("created_at", ">=", parameter("from"))
        .where("created_at", "<", parameter("before"))
        .orderBy("id", direction)
        .limit(parameter("limit")),
    );
  const oldestFirst = serversIn("asc");
  const newestFirst = serversIn("desc");
  const firewallRulesOf = database.prepared((db, parameter: ParameterOf<{ serverId: number }>) =>
    db
      .selectFrom("firewall_rules")
      .selectAll()
      .where("server_id", "=", parameter("serverId"))
      .orderBy("ordinal"),
  );
  const lastChangedServers = database.prepared(
    (db, parameter: ParameterOf<{ changedAt: string; id: number; limit: number }>) =>
      db
        .selectFrom("servers")
        .selectAll()
        .where("status", "!=", "terminated")
        .where((where) =>
          where(
            where.refTuple("node_changed_at", "id"),
            "<",
            where.tuple(parameter("changedAt"), parameter("id")),
          ),
        )
        .orderBy("node_changed_at", "desc")
        .orderBy("id", "desc")
        .limit(parameter("limit")),
  );
  return {
    serverById: (id) => serverById.first({ id }),
    serversOf: (accountId, { descending, afterId, limit, status, name, from, before }) =>
      (descending ? newestFirst : oldestFirst).all({ accountId, afterId, limit, status, name, from, before }),
    firewallRulesOf: (serverId) => firewallRulesOf.all({ serverId }),
    lastChangedServers: (before, limit) => lastChangedServers.all({ ...before, limit }),
  };
}

/** The same as parameters of a query: 0 is nobody's account. */
type WantedParameters = Record<"accountId" | "presentOnly", number>;

/** Servers that staff list, and how many they are. */
function queriesOfWantedServers(database: Database): Pick<ServerQueries, "allServers" | "serverCount"> {
  const wantedServers = (db: Database["queries"], parameter: ParameterOf<WantedParameters>) =>
    db
      .selectFrom("servers")
      .where((where) =>
        where.or([where("account_id", "=", parameter("accountId")), where(parameter("accountId"), "=", 0)]),
      )
      .where((where) =>
        where.or([where("status", "!=", "terminated"), where(parameter("presentOnly"), "=", 0)]),
      );
  const allServers = database.prepared(
    (db, parameter: ParameterOf<WantedParameters & { afterId: number; limit: number }>) =>
      wantedServers(db, parameter)
        .selectAll()
        .where("id", ">", parameter("afterId"))
        .orderBy("id")
        .limit(parameter("limit")),
  );
  const serverCount = database.prepared((db, parameter: ParameterOf<WantedParameters>) =>
    wantedServers(db, parameter).select((row) => row.fn.countAll<number | string>().as("servers")),
  );
  const asked = ({ accountId = 0, presentOnly }: WantedServers): WantedParameters => ({
    accountId,
    presentOnly: presentOnly ? 1 : 0,
  });
  return {
    allServers: (wanted, page) => allServers.all({ ...asked(wanted), ...page }),
    // PostgreSQL counts in 64 bits, which come as text.
    serverCount: async (wanted) => Number((await serverCount.first(asked(wanted)))?.servers ?? 0),
  };
}

/** Servers for which the time has come. */
function queriesOfTerms(
  database: Database,
): Pick<
  ServerQueries,
  "expiredServers" | "dueCancellations" | "idleServers" | "dueRenewals" | "unpaidRenewals"
> {
  const servers = (db: Database["queries"]) => db.selectFrom("servers").selectAll();
  type Servers = ReturnType<typeof servers>;
  type Due = ParameterOf<{ instant: string; limit: number }>;
  /** Those for which the time in a column has come, the longest ago first. */
  const dueBy = (column: "expiry_date" | "next_try_at", narrowed: (all: Servers, due: Due) => Servers) =>
    database.prepared((db, parameter: Due) =>
      narrowed(servers(db), parameter)
        .where(column, "<=", parameter("instant"))
        .orderBy(column)
        .limit(parameter("limit")),
    );
  const expiredServers = dueBy("expiry_date", (all) => all.where("status", "=", "active"));
  type Ending = ParameterOf<{ instant: string; releasedBy: string; limit: number }>;
  const endingBy = (narrowed: (all: Servers, due: Ending) => Servers) =>
    database.prepared((db, parameter: Ending) =>
      narrowed(servers(db), parameter)
        .where("expiry_date", "<=", parameter("instant"))
        .where("held", "=", 0)
        .where((is) =>
          is.or([is("released_at", "is", null), is("released_at", "<=", parameter("releasedBy"))]),
        )
        .orderBy("expiry_date")
        .limit(parameter("limit")),
    );
  const dueCancellations = endingBy((all) =>
    all.where("status", "in", ["active", "suspended"]).where("cancelled", "=", 1),
  );
  const idleServers = endingBy((all, due) =>
    all.where("status", "=", "suspended").where("suspended_at", "<=", due("instant")),
  );
  const dueRenewals = dueBy("next_try_at", (all) =>
    all.where("auto_renew", "=", 1).where("status", "=", "active"),
  );
  const unpaidRenewals = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    servers(db)
      .where("auto_renew", "=", 1)
      .where("status", "=", "active")
      .where("missed_cents", ">", 0)
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  return {
    dueRenewals: (instant, limit) => dueRenewals.all({ instant, limit }),
    unpaidRenewals: (afterId, limit) => unpaidRenewals.all({ afterId, limit }),
    expiredServers: (instant, limit) => expiredServers.all({ instant, limit }),
    dueCancellations: (instant, releasedBy, limit) => dueCancellations.all({ instant, releasedBy, limit }),
    idleServers: (instant, releasedBy, limit) => idleServers.all({ instant, releasedBy, limit }),
  };
}
