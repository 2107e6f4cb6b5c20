import {
  assertNever,
  reactToRegistration,
  registerDomain,
  registrationCodec,
  registrationLines,
  type AccountOrder,
  type DomainCommand,
  type NameOrder,
  type RegistrationCommand,
  type RegistrationEvent,
  type RegistrationInput,
  type RegistrationRequest,
  type RegistrationState,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import { stepOf, type RunContext, type RunnableProcess } from "@hostledger/process-manager";
import type { Registrar, RegistrarDomain } from "@hostledger/providers";
import { type AccountClient, rejectionOf } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";

import { domainAggregate } from "../aggregates.ts";
import type { DomainSettings } from "../settings.ts";

/** What a registration works with. */
export interface RegistrationHands {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly registrar: Registrar;
  readonly accounts: AccountClient;
  readonly settings: DomainSettings;
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

/** Characters of another party's reason that are kept. */
const longestReason = 500;

/** Gives the registration process its hands: every reaction as something to carry out, every outcome as an input. */
export function registrationRunnable(
  hands: RegistrationHands,
): RunnableProcess<RegistrationState, RegistrationInput, RegistrationEvent> {
  return {
    process: registerDomain,
    codec: registrationCodec,
    next: (state, runId, context) =>
      stepOf(reactToRegistration(state), {
        send: (command) => send(hands, command, runId, context),
        call: (request) => call(hands, request),
      }),
    resumed: (at) => ({ type: "resumed", at }),
    failed: (reason, at) => ({ type: "failed", reason: lineOf(reason), at }),
  };
}

function send(
  hands: RegistrationHands,
  command: RegistrationCommand,
  runId: string,
  context: RunContext,
): Promise<RegistrationInput> {
  return command.to === "account"
    ? sendToAccount(hands, command.order, context)
    : sendToName(hands, command.name, command.order, runId, context);
}

/** Charges or refunds through the account's service. @throws anything that is not the account's own refusal. */
async function sendToAccount(
  { accounts, clock }: RegistrationHands,
  order: AccountOrder,
  context: RunContext,
): Promise<RegistrationInput> {
  const options = accounts.callOptions(context);
  const accountId = BigInt(order.accountId);
  try {
    if (order.type === "RefundRegistration") {
      const { chargeId, reason } = order;
      const { correctionId } = await accounts.rpc.refundRegistration(
        { accountId, chargeId, reason },
        options,
      );
      return { type: "refunded", correctionId: Number(correctionId), at: clock.now() };
    }
    const { chargeId, name, years, domainId } = order;
    const lines = [...registrationLines(name, years, BigInt(order.yearNetCents))];
    const charged = await accounts.rpc.chargeBalance(
      { accountId, chargeId, action: "purchase", lines, duration: years, domainId: BigInt(domainId) },
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
  hands: RegistrationHands,
  name: string,
  order: NameOrder,
  runId: string,
  context: RunContext,
): Promise<RegistrationInput> {
  const { commands, clock } = hands;
  const command = nameCommand(order, clock.now());
  const executed = await commands.execute(domainAggregate, name, command, {
    ...context,
    causationId: runId,
    commandId: `${runId}/${order.type}`,
  });
  if (executed.accepted) return { type: "accepted", at: clock.now() };
  if (executed.rejection.code === "overloaded") throw new Error(executed.rejection.message);
  return { type: "rejected", rejection: executed.rejection, at: clock.now() };
}

/** Adds what only the edge knows: the time. */
function nameCommand(order: NameOrder, at: string): DomainCommand {
  switch (order.type) {
    case "RegisterDomain":
      return order;
    case "ReleaseRegistration":
      return { type: order.type, data: { ...order.data, at } };
    case "HoldRegistration":
      return { type: order.type, data: { ...order.data, at } };
    default:
      return assertNever(order);
  }
}

async function call(hands: RegistrationHands, request: RegistrationRequest): Promise<RegistrationInput> {
  const { registrar, clock, settings } = hands;
  switch (request.type) {
    case "register": {
      const { clientTransactionId, name, years } = request;
      const order = { clientTransactionId, name, years, nameservers: settings.serviceNameservers };
      const answer = await registrar.register(order);
      if (answer.outcome === "done") return held(registrar, answer.value, clock.now());
      return { type: answer.outcome, reason: lineOf(answer.message), at: clock.now() };
    }
    case "inquire": {
      const answer = await registrar.inquire(request.name);
      if (answer.outcome !== "done")
        return { type: answer.outcome, reason: lineOf(answer.message), at: clock.now() };
      const holding = answer.value;
      // A name that is held for another order is not what this run ordered.
      const isOurs = holding.held && holding.domain.clientTransactionId === request.clientTransactionId;
      return isOurs ? held(registrar, holding.domain, clock.now()) : { type: "not-held", at: clock.now() };
    }
    case "cancel":
      return settled(await registrar.cancel(request.name), clock);
    default:
      return assertNever(request);
  }
}

function held(registrar: Registrar, domain: RegistrarDomain, at: string): RegistrationInput {
  const { registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock } = domain;
  const order = {
    provider: registrar.name,
    registeredAt,
    expiresAt,
    nameservers,
    whoisPrivacy,
    transferLock,
  };
  return { type: "held", order, at };
}

function settled(
  answer:
    { readonly outcome: "done" } | { readonly outcome: "refused" | "unknown"; readonly message: string },
  clock: Clock,
): RegistrationInput {
  return answer.outcome === "done"
    ? { type: "done", at: clock.now() }
    : { type: answer.outcome, reason: lineOf(answer.message), at: clock.now() };
}

/**
 * What a party said, as one line of bounded length: it becomes part of facts, and the reason of a refund, which the
 * account takes as a line only. A party that says too much must not keep the customer's money back.
 */
function lineOf(message: string): string {
  const line = message.replaceAll(/\p{Cc}+/gu, " ").trim();
  return line === "" ? "No reason was given" : line.slice(0, longestReason).toWellFormed();
}
