import {
  domainAggregate,
  failuresBeforeTicket,
  serverAggregate,
  staffTickets,
  stockAggregate,
  type ChargeOrder,
  type ComputeRequest,
  type DomainEvent,
  type OrderCommand,
  type PaidOrder,
  type PaidOrderAction,
  type PaidOrderInput,
  type PaidOrderState,
  type ProviderRequest,
  type RefundOrder,
  type RegistrarRequest,
  type Rejection,
  type RejectionCode,
} from "@hostledger/core";
import {
  requestStaffTicket,
  type AccountQuotas,
  type Accounts,
  type CommandHandler,
  type Executed,
  type OrderContext,
} from "@hostledger/store";
import { callerFrom } from "@hostledger/rpc";

import type { NextStep, ProcessDefinition, RunContext } from "./process-definition.ts";
import type { RunDriverOptions } from "./run-driver.ts";

export type ProviderAnswer<Held> =
  | { readonly type: "held"; readonly held: Held }
  | { readonly type: "not-held" }
  | { readonly type: "pending" }
  | { readonly type: "done" }
  | { readonly type: "refused"; readonly reason: string; readonly code?: RejectionCode | undefined }
  | { readonly type: "unreachable" | "unknown"; readonly reason: string };

/** Carries out the actions of paid orders; runs have no other effects. */
export interface PaidOrderEffects<Held> {
  readonly commands: CommandHandler;
  readonly clock: { now(): string };
  readonly accounts: Accounts;
  /** Counts the customers' orders that come to nothing. */
  readonly quotas: Pick<AccountQuotas, "countFailedOrder">;
  /** Name of the service that records the runs, for example `domain-service`. */
  readonly recordedBy: string;
  /** The actor of charges and refunds, for example `service:domain`. */
  readonly chargesAs: string;
  readonly logger: RunDriverOptions<never, never, never>["logger"];
  /** Ask the service's providers. Never reject. */
  readonly askRegistrar?: (request: RegistrarRequest) => Promise<ProviderAnswer<Held>>;
  readonly askCompute?: (request: ComputeRequest) => Promise<ProviderAnswer<Held>>;
}

/** Rejections that pass by themselves, whatever the order is; the step is repeated. */
const passingRefusals: ReadonlySet<RejectionCode> = new Set(["overloaded", "store-rewound"]);

/** Joins a paid order with the effects of its actions. */
export function paidOrderDefinition<Subject, Held, Event extends DomainEvent>(
  process: PaidOrder<Subject, Held, Event>,
  effects: PaidOrderEffects<Held>,
): ProcessDefinition<PaidOrderState<Subject, Held>, PaidOrderInput<Subject, Held>, Event> {
  const { clock } = effects;
  return {
    process,
    codec: process.codec,
    next: (state, runId, context) =>
      stepOf(process.nextAction(state, clock.now()), effects, { ...context, runId }),
    resumed: (at) => ({ type: "resumed", at }),
    failed: (reason, at) => ({ type: "failed", reason, at }),
  };
}

/**
 * Converts the outcome of a port call to an answer for a run.
 * @param held converts the result of a successful request.
 */
export function answerOf<Value, Held>(
  outcome:
    | { readonly outcome: "done"; readonly value: Value }
    | { readonly outcome: "refused"; readonly reason: string; readonly message: string }
    | { readonly outcome: "unknown"; readonly message: string },
  held: (value: Value) => ProviderAnswer<Held>,
): ProviderAnswer<Held> {
  switch (outcome.outcome) {
    case "done":
      return held(outcome.value);
    case "refused": {
      const isUnreachable = outcome.reason === "unreachable";
      return { type: isUnreachable ? "unreachable" : "refused", reason: outcome.message };
    }
    case "unknown":
      return { type: "unknown", reason: outcome.message };
  }
}

type Run = RunContext & { readonly runId: string };

function stepOf<Subject, Held>(
  action: PaidOrderAction<Held>,
  effects: PaidOrderEffects<Held>,
  run: Run,
): NextStep<PaidOrderInput<Subject, Held>> {
  switch (action.kind) {
    case "send":
    case "compensate":
      return { kind: action.kind, perform: () => send(action.command, effects, run) };
    case "call": {
      const { request, isFirst, failures, notBefore, longestPauseMs } = action;
      const perform = async (): Promise<PaidOrderInput<Subject, Held>> => {
        const answer = await ask(request, effects);
        if (failures + 1 >= failuresBeforeTicket) await tellStaff(request, answer, effects, run);
        return { ...answer, at: effects.clock.now() };
      };
      return { kind: "call", isFirst, notBefore, longestPauseMs, perform };
    }
    case "suspend":
    case "complete":
      return { kind: action.kind };
  }
}

/** Opens the one ticket of a run whose provider does not answer. A failure to open the ticket does not stop the run. */
async function tellStaff<Held>(
  request: ProviderRequest,
  answer: ProviderAnswer<Held>,
  effects: PaidOrderEffects<Held>,
  { runId }: Run,
): Promise<void> {
  if (!("reason" in answer)) return;
  const about = request.to === "registrar" ? request.name : `server ${String(request.order.serverId)}`;
  try {
    const ticket = staffTickets.workNotDone({ work: runId, about }, answer.reason);
    await requestStaffTicket(effects, ticket, effects.recordedBy);
  } catch (error) {
    effects.logger.error({ run: runId, error }, "staff could not be told that a run does not get on");
  }
}

async function ask<Held>(
  request: ProviderRequest,
  { askRegistrar, askCompute }: PaidOrderEffects<Held>,
): Promise<ProviderAnswer<Held>> {
  const answer = request.to === "registrar" ? askRegistrar?.(request) : askCompute?.(request);
  if (answer === undefined) throw new Error(`nobody here carries out ${request.type}`);
  return answer;
}

/** Gives a command to an aggregate. @throws anything that is not a decision: the step is repeated. */
async function send<Subject, Held>(
  command: OrderCommand<Held>,
  effects: PaidOrderEffects<Held>,
  run: Run,
): Promise<PaidOrderInput<Subject, Held>> {
  const { accounts, chargesAs, commands, clock } = effects;
  const { runId, ...context } = run;
  if (command.to === "account") {
    const { correlationId, requestId = correlationId } = run;
    const orderContext = { correlationId, requestId, actor: chargesAs };
    const asked =
      "charge" in command
        ? charge(command.charge, accounts, orderContext)
        : refund(command.refund, accounts, orderContext);
    const answer = await asked;
    const isFailure = answer.type === "refunded" || ("charge" in command && answer.type === "rejected");
    if (isFailure) await countFailure(effects, run);
    return { ...answer, at: clock.now() };
  }
  const given = { ...context, causationId: runId, commandId: `${runId}/${command.command.type}` };
  switch (command.to) {
    case "domain":
      return decided(
        await commands.execute(domainAggregate, command.id, command.command, given),
        command.found,
        clock.now(),
      );
    case "server":
      return decided(
        await commands.execute(serverAggregate, command.id, command.command, given),
        command.found,
        clock.now(),
      );
    case "stock":
      return decided(
        await commands.execute(stockAggregate, command.id, command.command, given),
        undefined,
        clock.now(),
      );
  }
}

/**
 * Counts a customer's order that comes to nothing, whenever that turns out: it costs no money, and its events stay. What keeps
 * it from being counted does not hold the run up.
 */
async function countFailure<Held>(
  { quotas, logger }: PaidOrderEffects<Held>,
  { runId, ...context }: Run,
): Promise<void> {
  const caller = callerFrom(context.actor);
  if (caller?.kind !== "account") return;
  try {
    await quotas.countFailedOrder(caller.accountId, context);
  } catch (error) {
    logger.error({ run: runId, error }, "an order that came to nothing could not be counted");
  }
}

function decided<Subject, Held, State>(
  executed: Executed<State, unknown>,
  found: ((state: State) => Held | undefined) | undefined,
  at: string,
): PaidOrderInput<Subject, Held> {
  if (executed.accepted) return { type: "accepted", found: found?.(executed.state), at };
  return { ...rejected(executed.rejection), at };
}

/** @throws Error where the refusal passes. */
function rejected(rejection: Rejection) {
  if (passingRefusals.has(rejection.code)) throw new Error(rejection.message);
  return { type: "rejected", rejection } as const;
}

async function charge(order: ChargeOrder, accounts: Pick<Accounts, "charge">, context: OrderContext) {
  const answer = await accounts.charge(order, context);
  if (!answer.accepted) return rejected(answer.rejection);
  const { invoiceId, grossCents } = answer.charge;
  const charged = { chargeId: order.chargeId, invoiceId, grossCents: String(grossCents) };
  return { type: answer.isNew ? "charged" : "charged-before", charge: charged } as const;
}

async function refund(order: RefundOrder, accounts: Pick<Accounts, "refund">, context: OrderContext) {
  const answer = await accounts.refund(order, context);
  if (!answer.accepted) return rejected(answer.rejection);
  return { type: "refunded", correctionId: answer.correctionId } as const;
}
