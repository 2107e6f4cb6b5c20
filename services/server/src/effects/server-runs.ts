import {
  serverCodec,
  serverOrder,
  serverOrderCodec,
  serverRenewal,
  serverRenewalCodec,
  type PaidOrderAnswer,
  type ProviderRequest,
  type ServerOrder,
  type ServerPlace,
  type ServerRenewal,
  type ServerRenewalOutcome,
} from "@hostledger/core";
import { decodeEvent, type CommandHandler, type EventStore } from "@hostledger/event-store";
import type { Leases } from "@hostledger/leases";
import {
  answerOf,
  createPaidOrders,
  type AnsweredOrder,
  type PaidOrders,
  type ProviderAnswer,
  type RunContext,
} from "@hostledger/process-manager";
import type { Compute, ComputeServer } from "@hostledger/providers";
import type { AccountClient } from "@hostledger/rpc";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import { serverAggregate, stockAggregate } from "../aggregates.ts";
import { runKinds } from "../reads/process-runs.projection.ts";
import type { ServerQueries } from "../reads/server.queries.ts";
import { computeName, computeOrder } from "./compute-server.ts";

/** What the runs of orders and renewals are made of. */
export interface ServerRunsOptions {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly compute: Compute;
  readonly accounts: AccountClient;
  readonly queries: Pick<ServerQueries, "runsToDrive">;
  readonly recordedBy: string;
  /** How long a provider that says "I hold nothing" after silence is given before that counts, in milliseconds. */
  readonly quietMs: number;
  /** Says which of several processes drives a run. Left out where there is one. */
  readonly leases?: Leases;
  /** Runs under way at a time. Default: the process manager's own limit. */
  readonly activeLimit?: number;
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
export function createServerOrders(options: ServerRunsOptions): ServerOrders {
  const { compute, queries, ids } = options;
  return createPaidOrders({
    ...options,
    paidOrder: serverOrder,
    codec: serverOrderCodec,
    owner: ids.uuid(),
    effects: {
      ...options,
      aggregates: { server: serverAggregate, stock: stockAggregate },
      provider: (request) => askCompute(compute, request),
    },
    unfinished: (after, limit) => queries.runsToDrive(runKinds.order, after, limit),
  });
}

/** Creates the runs of renewals. A renewal's beginning on the server's stream begins one. */
export function createServerRenewals(options: ServerRunsOptions): ServerRenewals {
  const { store, queries, ids } = options;
  return createPaidOrders({
    ...options,
    paidOrder: serverRenewal,
    codec: serverRenewalCodec,
    owner: ids.uuid(),
    effects: { ...options, aggregates: { server: serverAggregate } },
    unfinished: (after, limit) => queries.runsToDrive(runKinds.renewal, after, limit),
    beginning: ({ run, subject }) => renewalBegun(store, run, subject),
  });
}

/** The fact on the server's stream that began a run, with the request it was for. @param stream the server's. */
async function renewalBegun(
  store: EventStore,
  run: string,
  stream: string,
): Promise<{ subject: ServerRenewal; context: RunContext } | undefined> {
  for await (const recorded of store.read(stream)) {
    const { event, metadata } = decodeEvent(serverCodec, recorded);
    if (event.type === "ServerRenewalBegun" && event.data.renewalId === run)
      return { subject: event.data, context: metadata };
  }
  return undefined;
}

/** The compute provider as orders ask it. */
async function askCompute(compute: Compute, request: ProviderRequest): Promise<ProviderAnswer<ServerPlace>> {
  if (request.to !== "compute") throw new Error(`a server's order does not ask for ${request.type}`);
  const { type, order } = request;
  const held = ({ node, ipAddress, rdns }: ComputeServer): ProviderAnswer<ServerPlace> => ({
    type: "held",
    held: { node, ipAddress, rdns },
  });
  const name = computeName(order.serverId);
  switch (type) {
    case "provision":
      return answerOf(await compute.provision(computeOrder(order)), held);
    case "inquire":
      return answerOf(await compute.inquire(name), (holding) =>
        holding.held ? held(holding.server) : { type: "not-held" },
      );
    case "destroy":
      return answerOf(await compute.destroy(name), () => ({ type: "done" }));
  }
}
