import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  orderIdOf,
  serverAggregate,
  stockAggregate,
  stockId,
  distroName,
  parseDistro,
  parseMonths,
  parseSshKey,
  quoteServerOrder,
  rejection,
  type Charge,
  type Distro,
  type ServerOrder,
} from "@hostledger/core";
import { recallOrder } from "@hostledger/store";
import { refuseWithoutRoom, unlessBegun } from "@hostledger/work";
import type { server } from "@hostledger/protocol";
import {
  claimRequest,
  doneOrThrow,
  refuseAfterFailures,
  rejectionError,
  requestContextOf,
  requireAccount,
  validated,
  type RequestContext,
} from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { servers } from "../reads/servers.projection.ts";
import type { AnsweredServerOrder } from "../effects/server-runs.ts";
import { openRegion, planOnOffer, refuseUnaffordable, type OfferedPlan, type OpenRegion } from "./offer.ts";

type Request = Readonly<
  Pick<server.OrderServerRequest, "planId" | "regionId" | "distroId" | "duration" | "sshKey">
>;
type Response = MessageInitShape<typeof server.OrderServerResponseSchema>;

export interface OrderTerms {
  readonly accountId: number;
  readonly plan: OfferedPlan;
  readonly region: OpenRegion;
  readonly distro: Distro;
  readonly months: number;
  readonly sshKey: string | null;
  readonly whitelisted: boolean;
  /** Gross price in cents (EUR); null for a free server. */
  readonly grossCents: bigint | null;
}

export interface ProvisionedOrder {
  readonly serverId: number;
  readonly months: number;
  /** Undefined for a gift. */
  readonly charge: Charge | undefined;
}

/**
 * Orders a server (contract, `POST /order`). Checks the fields, then plan and region, stock and balance; nothing is
 * written before all pass. Then the run reserves a unit, charges and provisions, and its answer is returned.
 */
export async function orderServer(
  dependencies: ServerDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { accountId } = requireAccount(context);
  const operation = requestContextOf(context);
  const found = await unlessBegun(
    operation,
    () => recalledOrder(dependencies, operation),
    async () => {
      const terms = await checkedTerms(dependencies, request, accountId);
      await refuseAfterFailures(dependencies.quotas, context);
      return terms;
    },
  );
  if ("earlier" in found) return respond(dependencies, found.earlier);
  return respond(dependencies, provisioned(await runOrder(dependencies, found.begun, operation)));
}

/** Checks an order and returns its terms. @throws ConnectError for a rejection. */
async function checkedTerms(
  dependencies: ServerDependencies,
  request: Request,
  accountId: number,
): Promise<OrderTerms> {
  const {
    distro_id: distro,
    duration: months,
    ssh_key: sshKey,
  } = validated({
    distro_id: parseDistro(request.distroId),
    duration: parseMonths(request.duration ?? 1),
    ssh_key: parseSshKey(request.sshKey),
  });
  const plan = await planOnOffer(dependencies, request.planId);
  const region = await openRegion(dependencies, request.regionId);
  await refuseOutOfStock(dependencies, plan, region);
  const { grossCents } = quoteServerOrder(plan.monthGrossCents, months);
  await refuseUnaffordable(dependencies, accountId, grossCents);
  return { accountId, plan, region, distro, months, sshKey, whitelisted: false, grossCents };
}

async function refuseOutOfStock(
  { commands }: ServerDependencies,
  { planId }: OfferedPlan,
  { regionId }: OpenRegion,
): Promise<void> {
  const { state } = await commands.load(stockAggregate, stockId({ planId, regionId }));
  if (state.units === 0) throw rejectionError(rejection("out-of-stock"));
}

/** Returns the operation's earlier order, if the request is a repeat. */
export async function recalledOrder(
  { installation, orders }: ServerDependencies,
  { operationId }: RequestContext,
): Promise<ProvisionedOrder | undefined> {
  const recalled = await recallOrder(installation, { category: orders.category, operationId }, (run) =>
    orders.recall(run),
  );
  return recalled === undefined ? undefined : provisioned(recalled);
}

/** Begins the run of an order and waits for its answer. */
export async function runOrder(
  { clock, installation, orders, serverIds }: ServerDependencies,
  terms: OrderTerms,
  operation: RequestContext,
): Promise<AnsweredServerOrder> {
  refuseWithoutRoom(orders);
  const { part } = await installation.named();
  const orderId = orderIdOf(orders.category, part, operation.operationId);
  const order = orderOf(terms, { orderId, serverId: await serverIds.next(), startedAt: clock.now() });
  await claimRequest(operation);
  return orders.begin(orderId, order, operation);
}

function orderOf(
  terms: OrderTerms,
  ids: Pick<ServerOrder, "orderId" | "serverId" | "startedAt">,
): ServerOrder {
  const { accountId, plan, region, distro, months, sshKey, whitelisted, grossCents } = terms;
  const { planId, title: planTitle, cores, memoryGb, storageGb, monthGrossCents } = plan;
  const { orderId, serverId, startedAt } = ids;
  return {
    orderId,
    serverId,
    accountId,
    planId,
    planTitle,
    cores,
    memoryGb,
    storageGb,
    regionId: region.regionId,
    regionCode: region.code,
    distroId: distro.id,
    distro: distroName(distro),
    months,
    whitelisted,
    sshKey,
    monthGrossCents: String(monthGrossCents),
    grossCents: grossCents === null ? null : String(grossCents),
    startedAt,
  };
}

/** Returns the server of an order. @throws ConnectError for a rejected order. */
export function provisioned({ subject: order, answer }: AnsweredServerOrder): ProvisionedOrder {
  const { charge } = doneOrThrow(answer, () => rejection("compute-failed"));
  if (order === undefined) throw rejectionError(rejection("deadline-exceeded"));
  return { serverId: order.serverId, months: order.months, charge: charge ?? undefined };
}

async function respond(
  { commands, projector }: ServerDependencies,
  { serverId, months, charge }: ProvisionedOrder,
): Promise<Response> {
  const loaded = await commands.load(serverAggregate, String(serverId));
  await projector.after(loaded.position, { names: [servers.name] });
  if (!("server" in loaded.state))
    throw new Error(`server ${String(serverId)} was answered and is not there`);
  return {
    serverId: BigInt(serverId),
    invoiceId: BigInt(charge?.invoiceId ?? 0),
    duration: months,
    amountChargedCents: BigInt(charge?.grossCents ?? 0),
    expiryDate: loaded.state.server.expiresAt,
  };
}
