import {
  asLine,
  assertNever,
  orderServer,
  reactToServerOrder,
  serverOrderCodec,
  type Rejection,
  type ServerCommand,
  type ServerOrderCommand,
  type ServerOrderEvent,
  type ServerOrderInput,
  type ServerOrderRequest,
  type ServerOrderState,
  type ServerStreamOrder,
  type StockCommand,
  type StockOrder,
} from "@hostledger/core";
import type { CommandContext, CommandHandler, Executed } from "@hostledger/event-store";
import { stepOf, type RunContext, type RunnableProcess } from "@hostledger/process-manager";
import type { Compute, ComputeServer, Outcome } from "@hostledger/providers";
import type { AccountClient } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";

import { serverAggregate, stockAggregate, stockId } from "../aggregates.ts";
import { computeName, computeOrder } from "./compute-server.ts";
import { sendToAccount } from "./server-commands.ts";

/** What an order works with. */
export interface ServerOrderHands {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly compute: Compute;
  readonly accounts: AccountClient;
}

/** Gives the order's process its hands: every reaction as something to carry out, every outcome as an input. */
export function serverOrderRunnable(
  hands: ServerOrderHands,
): RunnableProcess<ServerOrderState, ServerOrderInput, ServerOrderEvent> {
  return {
    process: orderServer,
    codec: serverOrderCodec,
    next: (state, runId, context) =>
      stepOf(reactToServerOrder(state), {
        send: (command) => send(hands, command, runId, context),
        call: (request) => call(hands, request),
      }),
    resumed: (at) => ({ type: "resumed", at }),
    failed: (reason, at) => ({ type: "failed", reason: reasonLine(reason), at }),
  };
}

/** What a party said, as a line that facts and documents take. */
export function reasonLine(text: string): string {
  return asLine(text, 500, "No reason was given");
}

async function send(
  hands: ServerOrderHands,
  command: ServerOrderCommand,
  runId: string,
  context: RunContext,
): Promise<ServerOrderInput> {
  const { commands, clock, accounts } = hands;
  const commandContext = (name: string): CommandContext => ({
    ...context,
    causationId: runId,
    commandId: `${runId}/${name}`,
  });
  switch (command.to) {
    case "account":
      return { ...(await sendToAccount(accounts, command.order, context)), at: clock.now() };
    case "stock": {
      const { order } = command;
      const given = stockCommand(order, clock.now());
      const sent = commandContext(order.type);
      return answerOf(await commands.execute(stockAggregate, stockId(order.data), given, sent), clock);
    }
    case "server": {
      const { order, serverId } = command;
      const given = serverCommand(order, clock.now());
      const sent = commandContext(order.type);
      return answerOf(await commands.execute(serverAggregate, String(serverId), given, sent), clock);
    }
    default:
      return assertNever(command);
  }
}

function answerOf(executed: Executed<unknown, unknown>, clock: Clock): ServerOrderInput {
  if (executed.accepted) return { type: "accepted", at: clock.now() };
  return { type: "rejected", rejection: decided(executed.rejection), at: clock.now() };
}

/** A refusal that was decided. @throws Error when the store was merely too busy: the step is repeated. */
export function decided(rejection: Rejection): Rejection {
  if (rejection.code === "overloaded") throw new Error(rejection.message);
  return rejection;
}

/** Adds what only the edge knows: the time. */
function stockCommand(order: StockOrder, at: string): StockCommand {
  return order.type === "ReserveStockUnit"
    ? { type: order.type, data: { ...order.data, at } }
    : { type: order.type, data: { ...order.data, at } };
}

function serverCommand(order: ServerStreamOrder, at: string): ServerCommand {
  switch (order.type) {
    case "OrderServer":
      return { type: order.type, data: { ...order.data, at } };
    case "RecordProvisioned":
      return { type: order.type, data: { ...order.data, at } };
    case "RecordOrderFailed":
      return { type: order.type, data: { ...order.data, at } };
    default:
      return assertNever(order);
  }
}

async function call(
  { compute, clock }: ServerOrderHands,
  request: ServerOrderRequest,
): Promise<ServerOrderInput> {
  const name = computeName(request.order.serverId);
  switch (request.type) {
    case "provision": {
      const answer = await compute.provision(computeOrder(request.order));
      return answer.outcome === "done" ? held(answer.value, clock) : unfulfilled(answer, clock);
    }
    case "inquire": {
      const answer = await compute.inquire(name);
      if (answer.outcome !== "done") return unfulfilled(answer, clock);
      return answer.value.held ? held(answer.value.server, clock) : { type: "not-held", at: clock.now() };
    }
    case "destroy": {
      const answer = await compute.destroy(name);
      return answer.outcome === "done" ? { type: "done", at: clock.now() } : unfulfilled(answer, clock);
    }
    default:
      return assertNever(request);
  }
}

function held({ node, ipAddress, rdns }: ComputeServer, clock: Clock): ServerOrderInput {
  return { type: "held", place: { node, ipAddress, rdns }, at: clock.now() };
}

/** What a party's answer says that did not do what was asked. */
export function unfulfilled(
  answer: Exclude<Outcome<unknown>, { outcome: "done" }>,
  clock: Clock,
): { readonly type: "refused" | "unknown"; readonly reason: string; readonly at: string } {
  return { type: answer.outcome, reason: reasonLine(answer.message), at: clock.now() };
}
