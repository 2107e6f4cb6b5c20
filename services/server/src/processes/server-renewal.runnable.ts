import {
  reactToServerRenewal,
  renewServer,
  serverRenewalCodec,
  type RenewalStreamOrder,
  type ServerRenewalCommand,
  type ServerRenewalEvent,
  type ServerRenewalInput,
  type ServerRenewalState,
  type ServerState,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import { stepOf, type RunContext, type RunnableProcess } from "@hostledger/process-manager";
import type { AccountClient } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";

import { serverAggregate } from "../aggregates.ts";
import type { NodeReconciler } from "../effects/node-reconciler.ts";
import { sendToAccount } from "./server-commands.ts";
import { decided, reasonLine, unfulfilled } from "./server-order.runnable.ts";

/** What a renewal works with. */
export interface ServerRenewalHands {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly nodes: NodeReconciler;
  readonly accounts: AccountClient;
}

/** Gives the renewal's process its hands. */
export function serverRenewalRunnable(
  hands: ServerRenewalHands,
): RunnableProcess<ServerRenewalState, ServerRenewalInput, ServerRenewalEvent> {
  return {
    process: renewServer,
    codec: serverRenewalCodec,
    next: (state, runId, context) =>
      stepOf(reactToServerRenewal(state), {
        send: (command) => send(hands, command, runId, context),
        call: (request) => resume(hands, request.serverId),
      }),
    resumed: (at) => ({ type: "resumed", at }),
    failed: (reason, at) => ({ type: "failed", reason: reasonLine(reason), at }),
  };
}

async function send(
  hands: ServerRenewalHands,
  command: ServerRenewalCommand,
  runId: string,
  context: RunContext,
): Promise<ServerRenewalInput> {
  const { clock, accounts } = hands;
  if (command.to === "account")
    return { ...(await sendToAccount(accounts, command.order, context)), at: clock.now() };
  return sendToServer(hands, command.serverId, command.order, { ...context, runId });
}

async function sendToServer(
  { commands, clock }: ServerRenewalHands,
  serverId: number,
  order: RenewalStreamOrder,
  { runId, ...context }: RunContext & { readonly runId: string },
): Promise<ServerRenewalInput> {
  const { renewalId } = order.data;
  if (order.type === "FindRenewal") {
    const { state } = await commands.load(serverAggregate, String(serverId));
    return outcomeIn(state, renewalId, clock) ?? { type: "not-renewed", at: clock.now() };
  }
  const executed = await commands.execute(
    serverAggregate,
    String(serverId),
    { type: order.type, data: { ...order.data, at: clock.now() } },
    { ...context, causationId: runId, commandId: `${runId}/${order.type}` },
  );
  if (!executed.accepted)
    return { type: "rejected", rejection: decided(executed.rejection), at: clock.now() };
  const found = outcomeIn(executed.state, renewalId, clock);
  if (found === undefined) throw new Error(`the server does not remember its renewal ${renewalId}`);
  return found;
}

/** How the renewal stands on the server's stream. */
function outcomeIn(state: ServerState, renewalId: string, clock: Clock): ServerRenewalInput | undefined {
  if (state.status !== "active" && state.status !== "suspended") return undefined;
  const renewal = state.server.renewals.find((one) => one.renewalId === renewalId);
  if (renewal === undefined) return undefined;
  const { renewalId: _id, months: _months, ...outcome } = renewal;
  return { type: "renewed", outcome, at: clock.now() };
}

/** Sets the node right by the facts: a server that was suspended again meanwhile stays so. */
async function resume({ nodes, clock }: ServerRenewalHands, serverId: number): Promise<ServerRenewalInput> {
  const answer = await nodes.settle(serverId);
  return answer.outcome === "done" ? { type: "done", at: clock.now() } : unfulfilled(answer, clock);
}
