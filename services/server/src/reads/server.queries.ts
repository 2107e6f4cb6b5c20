import { runQueries, type RunQueries } from "@hostledger/work/process-runs";
import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedPage, RequestedSelection } from "@hostledger/rpc";

import { catalogueQueries, type CatalogueQueries } from "./catalogue.queries.ts";
import type { ServerSchema } from "./server.tables.ts";

type Row<Table extends keyof ServerSchema> = Omit<ServerSchema[Table], "log_position">;

export type ServerRow = Row<"servers">;

export type FirewallRuleRow = Row<"firewall_rules">;

interface WantedServers {
  /** Only this account's servers; absent means all. */
  readonly accountId?: number;
  /** True excludes terminated servers. */
  readonly presentOnly: boolean;
}

export interface ServerQueries extends CatalogueQueries, RunQueries {
  /** Returns a server, terminated servers included. */
  serverById(id: number): Promise<ServerRow | undefined>;
  /** Returns servers in the requested order, without terminated servers. */
  serversOf(accountId: number, selection: RequestedSelection): Promise<readonly ServerRow[]>;
  /** Returns servers by id. */
  allServers(wanted: WantedServers, page: RequestedPage): Promise<readonly ServerRow[]>;
  serverCount(wanted: WantedServers): Promise<number>;
  /** Returns rules by position. */
  firewallRulesOf(serverId: number): Promise<readonly FirewallRuleRow[]>;
  /** Returns servers by the last change of their node's desired state, latest first; without terminated ones. */
  lastChangedServers(
    before: { readonly changedAt: string; readonly id: number },
    limit: number,
  ): Promise<readonly ServerRow[]>;
}

type Database = ReadModelDatabase<ServerSchema>;

type SelectionOf = { readonly accountId: number } & Omit<RequestedSelection, "descending" | "domainId">;

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

/** Filter as query parameters; 0 means any account. */
type WantedParameters = Record<"accountId" | "presentOnly", number>;

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
    // PostgreSQL counts in 64 bits and returns text.
    serverCount: async (wanted) => Number((await serverCount.first(asked(wanted)))?.servers ?? 0),
  };
}
