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
