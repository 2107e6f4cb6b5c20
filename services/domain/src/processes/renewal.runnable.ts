import {
  assertNever,
  reactToRenewal,
  renewalLines,
  renewalRunCodec,
  renewDomain,
  type DomainRenewalCommand,
  type RenewalAccountOrder,
  type RenewalCommand,
  type RenewalEvent,
  type RenewalInput,
  type RenewalNameOrder,
  type RenewalRequest,
  type RenewalState,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import { stepOf, type RunContext, type RunnableProcess } from "@hostledger/process-manager";
import type { Outcome, Registrar } from "@hostledger/providers";
import { type AccountClient, rejectionOf } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";

import { domainAggregate } from "../aggregates.ts";

/** What a renewal works with. */
export interface RenewalHands {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly registrar: Registrar;
  readonly accounts: AccountClient;
}

/** These say that the account's service could not be asked, not what it decided: the step is repeated. */
const notAnswered: ReadonlySet<string> = new Set([
  "internal",
  "overloaded",
  "temporarily-unavailable",
  "rate-limited",
  "deadline-exceeded",
  "unauthenticated",
]);

/** Gives the renewal's process its hands: every reaction as something to carry out, every outcome as an input. */
export function renewalRunnable(
  hands: RenewalHands,
): RunnableProcess<RenewalState, RenewalInput, RenewalEvent> {
  return {
    process: renewDomain,
    codec: renewalRunCodec,
    next: (state, runId, context) =>
      stepOf(reactToRenewal(state), {
        send: (command) => send(hands, command, runId, context),
        call: (request) => call(hands, request),
      }),
    resumed: (at) => ({ type: "resumed", at }),
    failed: (reason, at) => ({ type: "failed", reason, at }),
  };
}

function send(
  hands: RenewalHands,
  command: RenewalCommand,
  runId: string,
  context: RunContext,
): Promise<RenewalInput> {
  return command.to === "account"
    ? sendToAccount(hands, command.order, context)
    : sendToName(hands, command.name, command.order, { ...context, runId });
}

/** Charges or refunds through the account's service. @throws anything that is not the account's own refusal. */
async function sendToAccount(
  { accounts, clock }: RenewalHands,
  order: RenewalAccountOrder,
  context: RunContext,
): Promise<RenewalInput> {
  const options = accounts.callOptions(context);
  const accountId = BigInt(order.accountId);
  const { chargeId } = order;
  try {
    if (order.type === "RefundCharge") {
      const { reason } = order;
      const { correctionId } = await accounts.rpc.refundCharge({ accountId, chargeId, reason }, options);
      return { type: "refunded", correctionId: Number(correctionId), at: clock.now() };
    }
    const { name, years: duration, domainId, yearNetCents } = order;
    const lines = [...renewalLines(name, duration, BigInt(yearNetCents))];
    const charged = await accounts.rpc.chargeBalance(
      { accountId, chargeId, action: "renewal", lines, duration, domainId: BigInt(domainId) },
      options,
    );
    const charge = { chargeId, invoiceId: Number(charged.invoiceId), grossCents: String(charged.grossCents) };
    return { type: "charged", charge, at: clock.now() };
  } catch (error) {
    const rejection = rejectionOf(error);
    if (notAnswered.has(rejection.code)) throw error;
    return { type: "rejected", rejection, at: clock.now() };
  }
}

async function sendToName(
  { commands, clock }: RenewalHands,
  name: string,
  order: RenewalNameOrder,
  { runId, ...context }: RunContext & { readonly runId: string },
): Promise<RenewalInput> {
  const executed = await commands.execute(domainAggregate, name, nameCommand(order, clock.now()), {
    ...context,
    causationId: runId,
    commandId: `${runId}/${order.type}`,
  });
  if (executed.accepted) return { type: "accepted", at: clock.now() };
  if (executed.rejection.code === "overloaded") throw new Error(executed.rejection.message);
  return { type: "rejected", rejection: executed.rejection, at: clock.now() };
}

function nameCommand(order: RenewalNameOrder, at: string): DomainRenewalCommand {
  switch (order.type) {
    case "RecordRenewed":
      return { type: order.type, data: { ...order.data, at } };
    case "RecordRenewalFailed":
      return { type: order.type, data: { ...order.data, at } };
    default:
      return assertNever(order);
  }
}

async function call({ registrar, clock }: RenewalHands, request: RenewalRequest): Promise<RenewalInput> {
  if (request.type === "renew") {
    const { type: _, ...order } = request;
    const answer = await registrar.renew(order);
    return answer.outcome === "done"
      ? { type: "held", expiresAt: answer.value.expiresAt, at: clock.now() }
      : unanswered(answer, clock);
  }
  const answer = await registrar.inquire(request.name);
  if (answer.outcome !== "done") return unanswered(answer, clock);
  const holding = answer.value;
  return holding.held
    ? { type: "held", expiresAt: holding.domain.expiresAt, at: clock.now() }
    : { type: "not-held", at: clock.now() };
}

function unanswered(
  answer: Exclude<Outcome<unknown>, { outcome: "done" }>,
  clock: Clock,
): Extract<RenewalInput, { type: "refused" | "unreachable" | "unknown" }> {
  const { message: reason } = answer;
  const at = clock.now();
  if (answer.outcome === "unknown") return { type: "unknown", reason, at };
  return { type: answer.reason === "unreachable" ? "unreachable" : "refused", reason, at };
}
