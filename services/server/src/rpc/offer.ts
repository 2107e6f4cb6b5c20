import {
  planAggregate,
  planAt,
  regionAggregate,
  rejection,
  type PlanState,
  type RegionState,
} from "@hostledger/core";
import { refuseUncovered } from "@hostledger/work";
import { noSuch, ownRow, rejectionError, type WithContextValues } from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import type { ServerRow } from "../reads/server.queries.ts";

export type OfferedPlan = Extract<PlanState, { status: "offered" }>;

export type OpenRegion = Extract<RegionState, { status: "open" }>;

/** Returns the caller's server unless terminated. @throws ConnectError `not-found`, `unauthorized` */
export function ownServer(
  { queries }: ServerDependencies,
  serverId: bigint,
  context: WithContextValues,
): Promise<ServerRow> {
  return ownRow("server", serverId, context, async (id) => {
    const row = await queries.serverById(id);
    return row?.status === "terminated" ? undefined : row;
  });
}

/** Returns a plan on sale at its present price. @throws ConnectError `plan-not-found` */
export async function planOnOffer(
  { agreedClock, commands }: ServerDependencies,
  planId: bigint,
): Promise<OfferedPlan> {
  const { state } = await commands.load(planAggregate, streamId(planId));
  if (state.status === "offered") return planAt(state, agreedClock.now());
  const fieldErrors = { plan_id: ["must be a plan of GET /plans"] };
  throw rejectionError(rejection("plan-not-found", undefined, { fieldErrors }));
}

/** Returns an open region. @throws ConnectError `region-not-found` */
export async function openRegion({ commands }: ServerDependencies, regionId: bigint): Promise<OpenRegion> {
  const { state } = await commands.load(regionAggregate, streamId(regionId));
  if (state.status === "open") return state;
  const fieldErrors = { region_id: ["must be a region of GET /regions"] };
  throw rejectionError(rejection("region-not-found", undefined, { fieldErrors }));
}

/** Returns the stream id of an id; invalid ids share the empty stream "0". */
export function streamId(id: bigint): string {
  return id > 0n && id <= BigInt(Number.MAX_SAFE_INTEGER) ? String(id) : "0";
}

/** Stands for a server that has no id yet: taxes ask only whether a server is sold. */
const anyServer = 1;

/**
 * Refuses an order that the account cannot pay, or whose invoice could not be stored now.
 * @throws ConnectError `profile-incomplete`, `insufficient-balance`, or `not-found` for an unknown account
 * @throws TemporarilyUnavailableError if the keys of documents are missing
 */
export async function refuseUnaffordable(
  { accounts }: ServerDependencies,
  accountId: number,
  priceCents: bigint,
): Promise<void> {
  const lines = [{ description: "Server", quantity: 1, unitNetCents: priceCents }];
  const asked = { lines, pricesIncludeVat: true, domainId: null, serverId: anyServer };
  await refuseUncovered(async (maxAgeMs) => {
    const quote = await accounts.quote(accountId, asked, maxAgeMs);
    if (quote === undefined) throw noSuch("account");
    return { ...quote, requiredCents: quote.grossCents };
  });
  await accounts.requireDocumentKey(accountId);
}
