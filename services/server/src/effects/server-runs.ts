import {
  serverOrder,
  serverRenewal,
  type ComputeRequest,
  type PaidOrderAnswer,
  type ServerOrder,
  type ServerPlace,
  type ServerRenewal,
  type ServerRenewalOutcome,
} from "@hostledger/core";
import {
  answerOf,
  createPaidOrders,
  type AnsweredOrder,
  type PaidOrders,
  type ProviderAnswer,
  type RunParts,
} from "@hostledger/process-manager";
import type { Installation } from "@hostledger/event-store";
import type { Compute, ComputeServer } from "@hostledger/providers";

import { computeName, computeOrder } from "./compute-server.ts";

/** What the runs of orders and renewals are made of. */
export interface ServerRunsOptions extends RunParts {
  readonly compute: Compute;
  readonly installation: Installation;
}

/** The orders that are under way here. */
export type ServerOrders = PaidOrders<ServerOrder, ServerPlace>;

/** The renewals that are under way here. */
export type ServerRenewals = PaidOrders<ServerRenewal, ServerRenewalOutcome>;

/** What a renewal answers. */
export type ServerRenewalAnswer = PaidOrderAnswer<ServerRenewalOutcome>;

/** What an order answered. */
export type AnsweredServerOrder = AnsweredOrder<ServerOrder, ServerPlace>;

/** Creates the runs of orders. Nothing but its own stream tells of a run at first. */
export function createServerOrders({ compute, installation, ...parts }: ServerRunsOptions): ServerOrders {
  const askCompute = (request: ComputeRequest) => ask(compute, installation, request);
  return createPaidOrders({ ...parts, paidOrder: serverOrder, askCompute });
}

/** Creates the runs of renewals. A renewal's beginning on the server's stream begins one. */
export function createServerRenewals({
  compute: _,
  installation: _installation,
  ...parts
}: ServerRunsOptions): ServerRenewals {
  return createPaidOrders({ ...parts, paidOrder: serverRenewal });
}

/** The compute provider as orders ask it. */
async function ask(
  compute: Compute,
  installation: Installation,
  request: ComputeRequest,
): Promise<ProviderAnswer<ServerPlace>> {
  const { type, order } = request;
  const held = ({ node, ipAddress, rdns }: ComputeServer): ProviderAnswer<ServerPlace> => ({
    type: "held",
    held: { node, ipAddress, rdns },
  });
  const name = await computeName(installation, order);
  switch (type) {
    case "provision":
      return answerOf(await compute.provision(await computeOrder(installation, order)), held);
    case "inquire":
      return answerOf(await compute.inquire(name), (holding) =>
        holding.held ? held(holding.server) : { type: "not-held" },
      );
    case "destroy":
      return answerOf(await compute.destroy(name), () => ({ type: "done" }));
  }
}
