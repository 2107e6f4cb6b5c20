import { Code, ConnectError } from "@connectrpc/connect";
import { onOneLine } from "@hostledger/core";
import { RejectionSchema } from "@hostledger/protocol";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { refused } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { reply, type Answer } from "../output/reply.ts";
import { staffFailure } from "../staff/staff-failure.ts";
import { findAuditAddress, type AuditOptions } from "./audit-address.ts";
import { auditClient, type AuditClient } from "./audit-client.ts";

/** Calls the audit service. @throws CommandFailure or ConnectError, which `run` converts to a sentence and exit code */
export async function askAudit<Result>(
  { io }: CommandContext,
  command: Command,
  ask: (audit: AuditClient) => Promise<Result>,
): Promise<Result> {
  const address = findAuditAddress(command.optsWithGlobals<AuditOptions>(), io.environment);
  try {
    return await ask(auditClient(address));
  } catch (error) {
    if (address.as === "auditor" && isRefusedCredential(error))
      throw refused("The instance does not accept this auditor credential.", error);
    throw error instanceof ConnectError ? staffFailure(error, command) : error;
  }
}

/** Prints the events that a report omits to standard error. */
export function reportUnreadable(
  { err }: Pick<Io, "err">,
  report: string,
  sentences: readonly string[],
): void {
  for (const sentence of sentences)
    err(`Not in the ${report}: ${onOneLine(sentence).replace(/\.$/u, "")}.\n`);
}

/** Calls the audit service and prints the answer as text or JSON. */
export async function answerFromAudit(
  context: CommandContext,
  command: Command,
  ask: (audit: AuditClient) => Promise<Answer>,
): Promise<void> {
  const { json } = command.optsWithGlobals<AuditOptions>();
  reply(context.io, json, await askAudit(context, command, ask));
}

/** Returns true for a refused credential without a sentence of the service, such as "the credential has expired". */
function isRefusedCredential(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.findDetails(RejectionSchema).length > 0) return false;
  return error.code === Code.Unauthenticated || error.code === Code.PermissionDenied;
}
