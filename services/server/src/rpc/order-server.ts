import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  assertNever,
  distroName,
  parseDistro,
  parseMonths,
  parseSshKey,
  quoteServerOrder,
  rejection,
  serverOrderAnswer,
  type Distro,
  type ServerOrderAnswer,
  type ServerOrderInput,
} from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import {
  rejectionError,
  requestContextOf,
  requireAccount,
  validated,
  type RequestContext,
} from "@hostledger/rpc";

import { serverAggregate, stockAggregate, stockId } from "../aggregates.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { openRegion, planOnOffer, refuseUncovered, type OfferedPlan, type OpenRegion } from "./offer.ts";
import { shown } from "./read-model.ts";
import { settled, throwRefusal } from "./run-answer.ts";

type Request = Readonly<
  Pick<server.OrderServerRequest, "planId" | "regionId" | "distroId" | "duration" | "sshKey">
>;
type Response = MessageInitShape<typeof server.OrderServerResponseSchema>;

/** What an order names. */
export interface OrderTerms {
  readonly accountId: number;
  readonly plan: OfferedPlan;
  readonly region: OpenRegion;
  readonly distro: Distro;
  readonly months: number;
  readonly sshKey: string | null;
  readonly whitelisted: boolean;
  /** What is charged in cents (EUR); null for a server without charge. */
  readonly grossCents: bigint | null;
}

/** A server that was provisioned. */
export type ProvisionedAnswer = Extract<ServerOrderAnswer, { kind: "provisioned" }>;

/**
 * Orders a server (contract, `POST /order`). The order of checks is: fields → plan and region → stock → balance; nothing
 * is written before all of them pass. The run then takes a unit, charges and provisions, and the answer is the run's.
 */
export async function orderServer(
  dependencies: ServerDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { accountId } = requireAccount(context);
  const operation = requestContextOf(context);
  const earlier = await recalledOrder(dependencies, operation);
  if (earlier !== undefined) return respond(dependencies, earlier);

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
  await refuseUncovered(dependencies, accountId, grossCents, operation);
  const terms = { accountId, plan, region, distro, months, sshKey, whitelisted: false, grossCents };
  return respond(dependencies, await runOrder(dependencies, terms, operation));
}

async function refuseOutOfStock(
  { commands }: ServerDependencies,
  { planId }: OfferedPlan,
  { regionId }: OpenRegion,
): Promise<void> {
  const { state } = await commands.load(stockAggregate, stockId({ planId, regionId }));
  if (state.units === 0) throw rejectionError(rejection("out-of-stock"));
}

/** The run of an operation's order: its stream's name. */
function orderIdOf({ operationId }: RequestContext): string {
  return `serverorder-${operationId}`;
}

/** What the operation's order came to when the request was made before. */
export async function recalledOrder(
  { orders }: ServerDependencies,
  operation: RequestContext,
): Promise<ProvisionedAnswer | undefined> {
  const answer = await settled(orders.recall(orderIdOf(operation), serverOrderAnswer));
  return answer === undefined ? undefined : provisioned(answer);
}

/** Begins the run of an order and waits for what it answers. @throws ConnectError what the order was refused with. */
export async function runOrder(
  { clock, orders, serverIds }: ServerDependencies,
  terms: OrderTerms,
  operation: RequestContext,
): Promise<ProvisionedAnswer> {
  if (!orders.hasRoom) throw rejectionError(rejection("overloaded", undefined, { retryAfterSeconds: 1 }));
  const orderId = orderIdOf(operation);
  const order = orderOf(terms, orderId, await serverIds.next());
  const answer = async (): Promise<ServerOrderAnswer> => {
    orders.start(orderId, { type: "ordered", order, at: clock.now() }, operation);
    return orders.until(orderId, serverOrderAnswer);
  };
  return provisioned(await settled(answer()));
}

type Ordered = Extract<ServerOrderInput, { type: "ordered" }>["order"];

function orderOf(terms: OrderTerms, orderId: string, serverId: number): Ordered {
  const { accountId, plan, region, distro, months, sshKey, whitelisted, grossCents } = terms;
  const { planId, title: planTitle, cores, memoryGb, storageGb, monthGrossCents } = plan;
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
  };
}

function provisioned(answer: ServerOrderAnswer): ProvisionedAnswer {
  switch (answer.kind) {
    case "provisioned":
      return answer;
    case "refused":
      return throwRefusal(answer.refusal);
    case "compute-failed":
      throw rejectionError(rejection("compute-failed"));
    case "unsettled":
      throw rejectionError(rejection("deadline-exceeded"));
    default:
      return assertNever(answer);
  }
}

async function respond(
  { commands, projector }: ServerDependencies,
  { serverId, months, charge }: ProvisionedAnswer,
): Promise<Response> {
  const loaded = await commands.load(serverAggregate, String(serverId));
  await shown(projector, loaded);
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
