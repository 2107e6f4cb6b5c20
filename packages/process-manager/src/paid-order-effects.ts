import {
  domainAggregate,
  failuresBeforeTicket,
  serverAggregate,
  staffTickets,
  stockAggregate,
  type Charge,
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
  type CommandHandler,
  type Executed,
} from "@hostledger/event-store";
import { callerFrom, rejectionOf, type AccountClient } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { ProcessManagerOptions } from "./managed-process.ts";
import type { NextStep, ProcessDefinition, RunContext } from "./process-definition.ts";

/** What a provider answers to a request. */
export type ProviderAnswer<Held> =
  | { readonly type: "held"; readonly held: Held }
  | { readonly type: "not-held" }
  | { readonly type: "pending" }
  | { readonly type: "done" }
  | { readonly type: "refused"; readonly reason: string; readonly code?: RejectionCode | undefined }
  | { readonly type: "unreachable" | "unknown"; readonly reason: string };

/** What carries out the actions of paid orders: the one way in which their runs touch anything. */
export interface PaidOrderEffects<Held> {
  readonly commands: CommandHandler;
  readonly clock: { now(): string };
  readonly accounts: AccountClient;
  /** Counts the customers' orders that come to nothing. */
  readonly quotas: Pick<AccountQuotas, "countFailedOrder">;
  /** The part of the system whose runs these are, for example `domain-service`. */
  readonly recordedBy: string;
  readonly logger: ProcessManagerOptions<never, never, never>["logger"];
  /** Ask the providers that this service has. They answer whatever happens. */
  readonly askRegistrar?: (request: RegistrarRequest) => Promise<ProviderAnswer<Held>>;
  readonly askCompute?: (request: ComputeRequest) => Promise<ProviderAnswer<Held>>;
}

/** These say that the account's service could not be asked, not what it decided: the step is repeated. */
const notAnswered: ReadonlySet<string> = new Set([
  "internal",
  "overloaded",
  "temporarily-unavailable",
  "store-rewound",
  "record-unreadable",
  "rate-limited",
  "deadline-exceeded",
  "unauthenticated",
]);

/** A paid order together with what carries out its actions. */
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

/** What a port's outcome is to a run. @param held what a carried-out request tells. */
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

/** Opens the one ticket of a run whose provider gives no answer. What keeps it from being opened does not hold the run up. */
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

/** Gives a command to an aggregate, or asks the account. @throws anything that is not a decision: the step is repeated. */
async function send<Subject, Held>(
  command: OrderCommand<Held>,
  effects: PaidOrderEffects<Held>,
  run: Run,
): Promise<PaidOrderInput<Subject, Held>> {
  const { commands, clock } = effects;
  if (command.to === "account") {
    const asked =
      "charge" in command ? charge(command.charge, effects, run) : refund(command.refund, effects, run);
    const answer = await asked;
    const isFailure = answer.type === "refunded" || ("charge" in command && answer.type === "rejected");
    if (isFailure) await countFailure(effects, run);
    return { ...answer, at: clock.now() };
  }
  const { runId, ...context } = run;
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
  // The store was merely too busy.
  if (executed.rejection.code === "overloaded") throw new Error(executed.rejection.message);
  return { type: "rejected", rejection: executed.rejection, at };
}

type AccountAnswer =
  | { readonly type: "charged" | "charged-before"; readonly charge: Charge }
  | { readonly type: "refunded"; readonly correctionId: number }
  | { readonly type: "rejected"; readonly rejection: Rejection };

function charge<Held>(
  order: ChargeOrder,
  { accounts }: PaidOrderEffects<Held>,
  run: Run,
): Promise<AccountAnswer> {
  const { accountId, chargeId, lines, domainId, serverId, planId, ...rest } = order;
  return accountAnswer(async () => {
    const { invoiceId, grossCents, isNew } = await accounts.rpc.chargeBalance(
      {
        ...rest,
        accountId: BigInt(accountId),
        chargeId,
        lines: [...lines],
        asksWhetherNew: true,
        ...defined({ domainId: idOf(domainId), serverId: idOf(serverId), planId: idOf(planId) }),
      },
      accounts.callOptions(run),
    );
    const charged = { chargeId, invoiceId: Number(invoiceId), grossCents: String(grossCents) };
    return { type: isNew === true ? "charged" : "charged-before", charge: charged };
  });
}

function idOf(id: number | null): bigint | undefined {
  return id === null ? undefined : BigInt(id);
}

function refund<Held>(
  { accountId, of, ...order }: RefundOrder,
  { accounts }: PaidOrderEffects<Held>,
  run: Run,
): Promise<AccountAnswer> {
  const request = { ...order, accountId: BigInt(accountId) };
  const options = accounts.callOptions(run);
  return accountAnswer(async () => {
    const { correctionId } =
      of === "registration"
        ? await accounts.rpc.refundRegistration(request, options)
        : await accounts.rpc.refundCharge(request, options);
    return { type: "refunded", correctionId: Number(correctionId) };
  });
}

async function accountAnswer(ask: () => Promise<AccountAnswer>): Promise<AccountAnswer> {
  try {
    return await ask();
  } catch (error) {
    const rejection = rejectionOf(error);
    if (notAnswered.has(rejection.code)) throw error;
    return { type: "rejected", rejection };
  }
}
