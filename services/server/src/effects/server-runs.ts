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
} from "@hostledger/work";
import type { Installation } from "@hostledger/store";
import type { Compute, ComputeServer } from "@hostledger/providers";

import { computeName, computeOrder } from "./compute-server.ts";

/** Dependencies of the runs of orders and renewals. */
export interface ServerRunsOptions extends RunParts {
  readonly compute: Compute;
  readonly installation: Installation;
}

export type ServerOrders = PaidOrders<ServerOrder, ServerPlace>;

export type ServerRenewals = PaidOrders<ServerRenewal, ServerRenewalOutcome>;

export type ServerRenewalAnswer = PaidOrderAnswer<ServerRenewalOutcome>;

export type AnsweredServerOrder = AnsweredOrder<ServerOrder, ServerPlace>;

/** Creates the runs of orders. At first only a run's own stream shows the order. */
export function createServerOrders({ compute, installation, ...parts }: ServerRunsOptions): ServerOrders {
  const askCompute = (request: ComputeRequest) => ask(compute, installation, request);
  return createPaidOrders({ ...parts, paidOrder: serverOrder, askCompute });
}

/** Creates the runs of renewals, which begin with an event in the server's stream. */
export function createServerRenewals({
  compute: _,
  installation: _installation,
  ...parts
}: ServerRunsOptions): ServerRenewals {
  return createPaidOrders({ ...parts, paidOrder: serverRenewal });
}

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
