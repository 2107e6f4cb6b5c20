import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  heldRejection,
  serverAggregate,
  parseMonths,
  quoteRenewalOf,
  rejection,
  type ServerRenewal,
} from "@hostledger/core";
import { refuseWithoutRoom, unlessBegun } from "@hostledger/work";
import type { server } from "@hostledger/protocol";
import {
  doneOrThrow,
  isRejectionCode,
  refuseAfterFailures,
  rejectionError,
  requestContextOf,
  validated,
  type RequestContext,
} from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import type { ServerRenewalAnswer } from "../effects/server-runs.ts";
import { beginRenewal, type ServerRenewalRequest } from "../effects/server-renewals.ts";
import { ownServer, refuseUnaffordable } from "./offer.ts";

type Request = Readonly<Pick<server.RenewServerRequest, "serverId" | "duration">>;
type Response = MessageInitShape<typeof server.RenewServerResponseSchema>;

/** Renews a server (specification §4.6) at the price when the renewal begins on the server's stream. */
export async function renewServer(
  dependencies: ServerDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { renewals } = dependencies;
  const { id: serverId, account_id: accountId } = await ownServer(dependencies, request.serverId, context);
  const operation = requestContextOf(context);
  const renewalId = `serverrenewal-${operation.operationId}`;
  const found = await unlessBegun(
    operation,
    async () => renewals.recall(renewalId, await beganOn(dependencies, serverId, renewalId)),
    async () => {
      const { duration: months } = validated({ duration: parseMonths(request.duration ?? 1) });
      const requested = { renewalId, serverId, months };
      const grossCents = await priceOf(dependencies, requested);
      await refuseUnaffordable(dependencies, accountId, grossCents);
      refuseWithoutRoom(renewals);
      await refuseAfterFailures(dependencies.quotas, context);
      return begin(dependencies, requested, operation);
    },
  );
  const { answer } =
    "earlier" in found ? found.earlier : await renewals.begin(renewalId, found.begun, operation);
  return respond(dependencies, serverId, answer);
}

/** Returns the stream of an unfinished renewal whose run may have no event yet, from cached state. */
async function beganOn(
  { commands }: ServerDependencies,
  serverId: number,
  renewalId: string,
): Promise<string | undefined> {
  const { state } = await commands.load(serverAggregate, String(serverId));
  const isUnderWay = "server" in state && state.server.renewal?.renewalId === renewalId;
  return isUnderWay ? `server-${String(serverId)}` : undefined;
}

/** Returns the present price in cents (EUR). @throws ConnectError if the server cannot be renewed now. */
async function priceOf(
  { commands }: ServerDependencies,
  { serverId, months }: ServerRenewalRequest,
): Promise<bigint> {
  const { state } = await commands.load(serverAggregate, String(serverId));
  if (state.status !== "active" && state.status !== "suspended")
    throw rejectionError(rejection("server-not-active"));
  const held = heldRejection(state);
  if (held !== undefined) throw rejectionError(held);
  return quoteRenewalOf(state, months).grossCents;
}

/** Begins the renewal on the server's stream. @throws ConnectError `renewal-in-flight`. */
async function begin(
  dependencies: ServerDependencies,
  requested: ServerRenewalRequest,
  operation: RequestContext,
): Promise<ServerRenewal> {
  const begun = await beginRenewal(dependencies, requested, operation);
  if ("rejection" in begun) throw rejectionError(begun.rejection);
  // The renewal began before and has ended; another repeat gets its outcome.
  if (begun.renewal === undefined) throw rejectionError(rejection("deadline-exceeded"));
  return begun.renewal;
}

async function respond(
  { commands, nodes, readAfter, serverMessage }: ServerDependencies,
  serverId: number,
  answer: ServerRenewalAnswer,
): Promise<Response> {
  const { held } = doneOrThrow(answer, (failure) =>
    failure.kind === "failed" && failure.code !== null && isRejectionCode(failure.code)
      ? rejection(failure.code, failure.reason)
      : rejection("deadline-exceeded"),
  );
  // Restarts a suspended server; the work engine tries again if the node does not answer now.
  if (held?.wasSuspended === true) await nodes.settle(serverId);
  const done = await commands.load(serverAggregate, String(serverId));
  const row = await readAfter(done, `server-${String(serverId)}`, (queries) => queries.serverById(serverId));
  if (row === undefined || held === undefined) throw rejectionError(rejection("deadline-exceeded"));
  return {
    invoiceId: BigInt(held.invoiceId),
    amountChargedCents: BigInt(held.grossCents),
    newExpiryDate: held.expiresAt,
    server: serverMessage(row),
  };
}
