import { assertNever } from "@hostledger/core";

import { behaviourOf } from "../../sandbox/labels.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { codeElsewhere, elsewhere, type RegistryTransfer } from "../../sandbox/sandbox-transfers.ts";
import { domainElements, type TransferNews } from "../domain-elements.ts";
import type { ValueOf } from "../shapes.codec.ts";
import { orderIdOf, refuse, type Answer, type CommandContext, type ObjectCommand } from "./command.ts";
import { domainIfThere, refuseProhibited } from "./domains.ts";
import { feeTaken } from "./fees.ts";
import { EppRefusal } from "./result-codes.ts";

type Transfer = ValueOf<typeof domainElements.transfer>;

/** Milliseconds for the losing registrar's answer; then the registry approves the transfer. */
const answerTimeMs = 5 * 86_400_000;

type Held = RegistryTransfer & { readonly isPending: boolean };

const operations = ["request", "query", "cancel", "approve", "reject"] as const;

/** Requests, queries or decides a transfer (RFC 5731 §3.1.3 and §3.2.4). @throws EppRefusal */
export function transferDomain(context: CommandContext, command: ObjectCommand): Answer {
  const transfer = domainElements.transfer.read(command.object, refuse);
  const { name } = transfer;
  const operation = operations.find((known) => known === command.operation);
  switch (operation) {
    case "request":
      return requestTransfer(context, command, transfer);
    case "query":
      return { code: 1000, resData: domainElements.trnData.write(newsOf(asked(context, transfer))) };
    case "cancel":
      return cancelTransfer(context, pending(context, name, "gaining"));
    case "approve":
      return decide(context, pending(context, name, "losing"), true);
    case "reject":
      return decide(context, pending(context, name, "losing"), false);
    case undefined:
      throw new EppRefusal(2001, `<transfer> must have an op: ${operations.join(", ")}.`);
    default:
      return assertNever(operation);
  }
}

function requestTransfer(
  context: CommandContext,
  command: ObjectCommand,
  { name, authInfo }: Transfer,
): Answer {
  if (authInfo === undefined) throw new EppRefusal(2003, "<transfer> lacks <authInfo>.");
  const fees = feeTaken(command, name, { of: "transfer", years: 1 });
  const earlier = context.registry.transferOf(name);
  if (earlier?.gaining === context.registrar && earlier.clientTransactionId === orderIdOf(context))
    return repeated(earlier);
  const transfer = transferOf(context, name, authInfo);
  context.registry.placeTransfer(transfer);
  queueRequestMessage(context, transfer);
  return {
    code: 1001,
    resData: domainElements.trnData.write(newsOf({ ...transfer, isPending: true })),
    extension: fees,
  };
}

/** Answers a repeated transfer request with its state, because the sandbox carries out an order once. */
function repeated(earlier: Held): Answer {
  if (earlier.isPending) return { code: 1001, resData: domainElements.trnData.write(newsOf(earlier)) };
  if (earlier.release) throw new EppRefusal(2106, `The transfer of ${earlier.name} is done.`);
  throw new EppRefusal(2304, `The losing registrar does not let ${earlier.name} go.`);
}

function transferOf(context: CommandContext, name: string, code: string | null): RegistryTransfer {
  const { registry, registrar, atMs } = context;
  const domain = domainIfThere(context, name);
  const other = domain === undefined ? behaviourOf(name).elsewhere : null;
  if (domain === undefined && other === null) throw new EppRefusal(2303, `Nobody holds ${name}.`);
  if (domain?.sponsor === registrar) throw new EppRefusal(2106, `${name} is yours.`);
  if (registry.transferOf(name)?.isPending === true)
    throw new EppRefusal(2300, `Another transfer of ${name} is pending.`);
  const right = domain === undefined ? codeElsewhere : registry.authInfoOf(domain);
  if (code === null || code !== right) throw new EppRefusal(2202, `The authInfo of ${name} is wrong.`);
  if (domain !== undefined) refuseProhibited(context, domain, "clientTransferProhibited");
  return {
    name,
    clientTransactionId: orderIdOf(context),
    gaining: registrar,
    losing: domain?.sponsor ?? elsewhere,
    requestedAtMs: atMs,
    answeredAtMs: atMs + (other?.answersAfterMs ?? answerTimeMs),
    release: other?.release ?? true,
  };
}

/** Queues poll messages: the request to the losing registrar now, the default outcome to both later. */
function queueRequestMessage({ registry, atMs }: CommandContext, transfer: RegistryTransfer): void {
  const { name, gaining, losing, answeredAtMs, release } = transfer;
  const settled = { ...transfer, isPending: false };
  const outcome = release ? "Transfer approved." : "Transfer rejected.";
  registry.notify(gaining, name, answeredAtMs, { text: outcome, transfer: newsOf(settled) });
  if (losing === elsewhere) return;
  registry.notify(losing, name, atMs, {
    text: "Transfer requested.",
    transfer: newsOf({ ...transfer, isPending: true }),
  });
  registry.notify(losing, name, answeredAtMs, { text: outcome, transfer: newsOf(settled) });
}

function cancelTransfer({ registry, atMs }: CommandContext, transfer: Held): Answer {
  const { name, losing } = transfer;
  registry.withdrawTransfer(name);
  registry.dropLaterMessages(name);
  const news = { ...newsOf(transfer), status: "clientCancelled", actedAt: instantOf(atMs) };
  if (losing !== elsewhere)
    registry.notify(losing, name, atMs, { text: "Transfer cancelled.", transfer: news });
  return { code: 1000, resData: domainElements.trnData.write(news) };
}

function decide({ registry, atMs }: CommandContext, transfer: Held, release: boolean): Answer {
  const { name, gaining } = transfer;
  const decided = { ...transfer, release, answeredAtMs: atMs };
  registry.dropLaterMessages(name);
  registry.placeTransfer(decided);
  registry.settleTransfers(atMs);
  const news = newsOf({ ...decided, isPending: false });
  const text = release ? "Transfer approved." : "Transfer rejected.";
  registry.notify(gaining, name, atMs, { text, transfer: news });
  return { code: 1000, resData: domainElements.trnData.write(news) };
}

/** Returns the transfer that a registrar decides. @throws EppRefusal 2201 for the wrong side, 2301, 2303 */
function pending(context: CommandContext, name: string, side: "gaining" | "losing"): Held {
  const transfer = context.registry.transferOf(name);
  if (transfer?.isPending !== true) throw new EppRefusal(2301, `No transfer of ${name} is pending.`);
  if (transfer[side] !== context.registrar)
    throw new EppRefusal(2201, `Only the ${side} registrar of ${name} may do this.`);
  return transfer;
}

/** Returns the requested transfer. @throws EppRefusal 2201 for uninvolved registrars, 2202, 2301 */
function asked(context: CommandContext, { name, authInfo }: Transfer): Held {
  context.registry.askedAbout(name);
  const transfer = context.registry.transferOf(name);
  if (transfer === undefined) throw new EppRefusal(2301, `No transfer of ${name} is known.`);
  if ([transfer.gaining, transfer.losing].includes(context.registrar)) return transfer;
  if (authInfo === undefined)
    throw new EppRefusal(2201, `The transfer of ${name} concerns other registrars.`);
  const domain = domainIfThere(context, name);
  const right = domain === undefined ? codeElsewhere : context.registry.authInfoOf(domain);
  if (authInfo !== right) throw new EppRefusal(2202, `The authInfo of ${name} is wrong.`);
  return transfer;
}

function newsOf(transfer: Held): TransferNews {
  const { name, gaining, losing, requestedAtMs, answeredAtMs } = transfer;
  return {
    name,
    status: statusOf(transfer),
    gaining,
    losing,
    requestedAt: instantOf(requestedAtMs),
    actedAt: instantOf(answeredAtMs),
  };
}

function statusOf({ isPending, release, answeredAtMs, requestedAtMs }: Held): string {
  if (isPending) return "pending";
  if (!release) return "clientRejected";
  return answeredAtMs - requestedAtMs === answerTimeMs ? "serverApproved" : "clientApproved";
}
