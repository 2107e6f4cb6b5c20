import {
  plan,
  planCodec,
  region,
  regionCodec,
  server,
  serverCodec,
  stock,
  stockCodec,
  type AddPlan,
  type AddRegion,
  type PlanEvent,
  type PlanState,
  type RegionEvent,
  type RegionState,
  type ServerCommand,
  type ServerEvent,
  type ServerState,
  type StockCommand,
  type StockEvent,
  type StockKey,
  type StockState,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** A server's rules with its streams and its stored events. */
export const serverAggregate: Aggregate<ServerCommand, ServerState, ServerEvent> = {
  category: "server",
  decider: server,
  codec: serverCodec,
};

/** A plan's rules with its streams and its stored events. */
export const planAggregate: Aggregate<AddPlan, PlanState, PlanEvent> = {
  category: "plan",
  decider: plan,
  codec: planCodec,
};

/** A region's rules with its streams and its stored events. */
export const regionAggregate: Aggregate<AddRegion, RegionState, RegionEvent> = {
  category: "region",
  decider: region,
  codec: regionCodec,
};

/** The units of a plan in a region, with their streams and their stored events. */
export const stockAggregate: Aggregate<StockCommand, StockState, StockEvent> = {
  category: "stock",
  decider: stock,
  codec: stockCodec,
};

/** The stream's id of the units of a plan in a region. */
export function stockId({ planId, regionId }: StockKey): string {
  return `${String(planId)}-${String(regionId)}`;
}
