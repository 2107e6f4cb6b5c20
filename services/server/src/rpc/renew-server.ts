import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  assertNever,
  parseMonths,
  quoteServerRenewal,
  rejection,
  serverRenewalAnswer,
  type ServerRenewalAnswer,
  type ServerRenewalInput,
} from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import { isRejectionCode, rejectionError, requestContextOf, validated } from "@hostledger/rpc";

import { serverAggregate } from "../aggregates.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { refuseUncovered } from "./offer.ts";
import { ownServer } from "./own-server.ts";
import { shown } from "./read-model.ts";
import { settled, throwRefusal } from "./run-answer.ts";
import { serverMessage } from "./server.message.ts";

type Request = Readonly<Pick<server.RenewServerRequest, "serverId" | "duration">>;
type Response = MessageInitShape<typeof server.RenewServerResponseSchema>;
type Renewal = Extract<ServerRenewalInput, { type: "requested" }>["renewal"];

/**
 * Renews a server (specification §4.6). Its price is that of this moment: the run keeps it, whatever becomes of the server
 * while it is charged.
 */
export async function renewServer(
  dependencies: ServerDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { renewals, clock } = dependencies;
  const { id: serverId, account_id: accountId } = await ownServer(dependencies, request.serverId, context);
  const operation = requestContextOf(context);
  const renewalId = `serverrenewal-${operation.operationId}`;
  const earlier = await settled(renewals.recall(renewalId, serverRenewalAnswer));
  if (earlier !== undefined) return respond(dependencies, serverId, earlier);

  const { duration: months } = validated({ duration: parseMonths(request.duration ?? 1) });
  const renewal = await renewalOf(dependencies, { renewalId, serverId, accountId, months });
  await refuseUncovered(dependencies, accountId, BigInt(renewal.grossCents), operation);
  if (!renewals.hasRoom) throw rejectionError(rejection("overloaded", undefined, { retryAfterSeconds: 1 }));
  const answer = async (): Promise<ServerRenewalAnswer> => {
    renewals.start(renewalId, { type: "requested", renewal, at: clock.now() }, operation);
    return renewals.until(renewalId, serverRenewalAnswer);
  };
  return respond(dependencies, serverId, await settled(answer()));
}

/** What is renewed, at the price of this moment. @throws ConnectError `server-not-active` while there is no server yet. */
async function renewalOf(
  { commands }: ServerDependencies,
  asked: Pick<Renewal, "renewalId" | "serverId" | "accountId" | "months">,
): Promise<Renewal> {
  const { state } = await commands.load(serverAggregate, String(asked.serverId));
  if (state.status !== "active" && state.status !== "suspended")
    throw rejectionError(rejection("server-not-active"));
  const { planId, planTitle, monthGrossCents } = state.server;
  const suspended = state.status === "suspended";
  const quote = quoteServerRenewal(BigInt(monthGrossCents), asked.months, suspended);
  const { discountPercent, surchargePercent, grossCents } = quote;
  return {
    ...asked,
    planId,
    planTitle,
    monthGrossCents,
    discountPercent,
    surchargePercent,
    grossCents: String(grossCents),
  };
}

async function respond(
  { commands, projector, queries }: ServerDependencies,
  serverId: number,
  answer: ServerRenewalAnswer,
): Promise<Response> {
  switch (answer.kind) {
    case "renewed": {
      await shown(projector, await commands.load(serverAggregate, String(serverId)));
      const row = await queries.serverById(serverId);
      if (row === undefined) throw rejectionError(rejection("deadline-exceeded"));
      return {
        invoiceId: BigInt(answer.invoiceId),
        amountChargedCents: BigInt(answer.grossCents),
        newExpiryDate: answer.expiresAt,
        server: serverMessage(row),
      };
    }
    case "charge-refused":
      return throwRefusal(answer.refusal);
    case "not-renewable": {
      const { code, message } = answer;
      throw rejectionError(rejection(isRejectionCode(code) ? code : "internal", message));
    }
    case "abandoned":
    case "unsettled":
      throw rejectionError(rejection("deadline-exceeded"));
    default:
      return assertNever(answer);
  }
}
