import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";
import type { RequestedSelection } from "@hostledger/rpc";

import type { ServerSchema } from "./server.tables.ts";

type Row<Table extends keyof ServerSchema> = Omit<ServerSchema[Table], "log_position">;

export type PlanRow = Row<"plans">;

export type RegionRow = Row<"regions">;

/** Units of a plan in a region. */
export interface StockRow {
  readonly plan: PlanRow;
  readonly region: RegionRow;
  readonly units: number;
}

type Ordered = Pick<RequestedSelection, "afterId" | "descending" | "limit">;

/** Maximum regions read. */
const mostRegions = 10_000;

/** Queries of plans, regions and stock. */
export interface CatalogueQueries {
  /** Returns plans on sale at the prices of an instant. */
  plans(page: Ordered, at: string): Promise<readonly PlanRow[]>;
  regions(page: Ordered): Promise<readonly RegionRow[]>;
  /** Returns all regions by id. */
  allRegions(): Promise<readonly RegionRow[]>;
  /** Returns all plans by id, retired plans too, with announced prices. */
  allPlans(): Promise<readonly (PlanRow & Announced)[]>;
  /** Returns stock by plan and region, of retired plans too, at the prices of an instant. */
  stock(at: string): Promise<readonly StockRow[]>;
}

export function catalogueQueries(database: ReadModelDatabase<ServerSchema>): CatalogueQueries {
  const plansIn = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
      db
        .selectFrom("plans")
        .leftJoin("announced_plan_prices", "announced_plan_prices.id", "plans.id")
        .selectAll("plans")
        .select(["announced_cents", "valid_from"])
        .where("retired", "=", 0)
        .where("plans.id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .orderBy("plans.id", direction)
        .limit(parameter("limit")),
    );
  const allPlans = database.prepared((db) =>
    db
      .selectFrom("plans")
      .leftJoin("announced_plan_prices", "announced_plan_prices.id", "plans.id")
      .selectAll("plans")
      .select(["announced_cents", "valid_from"])
      .orderBy("plans.id"),
  );
  const [oldestPlans, newestPlans] = [plansIn("asc"), plansIn("desc")];
  const regionsIn = (direction: "asc" | "desc") =>
    database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
      db
        .selectFrom("regions")
        .selectAll()
        .where("id", direction === "asc" ? ">" : "<", parameter("afterId"))
        .orderBy("id", direction)
        .limit(parameter("limit")),
    );
  const [oldestRegions, newestRegions] = [regionsIn("asc"), regionsIn("desc")];
  const stock = stockQuery(database);
  return {
    plans: async ({ descending, afterId, limit }, at) =>
      (await (descending ? newestPlans : oldestPlans).all({ afterId, limit })).map((row) =>
        pricedAt(row, at),
      ),
    allPlans: () => allPlans.all({}),
    allRegions: () => oldestRegions.all({ afterId: 0, limit: mostRegions }),
    regions: ({ descending, afterId, limit }) =>
      (descending ? newestRegions : oldestRegions).all({ afterId, limit }),
    stock: async (at) =>
      (await stock.all({})).map(({ plan_id, region_id, units, code, location, ...plan }) => ({
        plan: pricedAt({ id: plan_id, ...plan }, at),
        region: { id: region_id, code, location },
        units,
      })),
  };
}

function stockQuery(database: ReadModelDatabase<ServerSchema>) {
  return database.prepared((db) =>
    db
      .selectFrom("stock")
      .innerJoin("plans", "plans.id", "stock.plan_id")
      .innerJoin("regions", "regions.id", "stock.region_id")
      .leftJoin("announced_plan_prices", "announced_plan_prices.id", "plans.id")
      .select([
        "stock.plan_id",
        "stock.region_id",
        "stock.units",
        "plans.title",
        "plans.cores",
        "plans.memory_gb",
        "plans.storage_gb",
        "plans.price_cents",
        "plans.retired",
        "announced_cents",
        "valid_from",
        "regions.code",
        "regions.location",
      ])
      .orderBy("stock.plan_id")
      .orderBy("stock.region_id"),
  );
}

/** A price with its start; null if none was announced. */
export interface Announced {
  readonly announced_cents: number | null;
  readonly valid_from: string | null;
}

/** Returns the plan at its price of an instant. */
export function pricedAt(
  { announced_cents: announced, valid_from: since, ...plan }: PlanRow & Announced,
  at: string,
): PlanRow {
  return announced !== null && since !== null && since <= at ? { ...plan, price_cents: announced } : plan;
}
