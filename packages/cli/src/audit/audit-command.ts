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

/**
 * Lets a command ask the audit service that its options name.
 * @throws CommandFailure or ConnectError; `run` turns either into a sentence and an exit code.
 */
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

/** Names on standard error what a report goes on without, because nobody can read it. */
export function tellUnreadable({ err }: Pick<Io, "err">, report: string, sentences: readonly string[]): void {
  for (const sentence of sentences)
    err(`Not in the ${report}: ${onOneLine(sentence).replace(/\.$/u, "")}.\n`);
}

/** Runs a command against the audit service, and prints the answer in the form its options ask for. */
export async function answerFromAudit(
  context: CommandContext,
  command: Command,
  ask: (audit: AuditClient) => Promise<Answer>,
): Promise<void> {
  const { json } = command.optsWithGlobals<AuditOptions>();
  reply(context.io, json, await askAudit(context, command, ask));
}

/** A refusal with a sentence of its own, for example that the credential has expired, says more than we could. */
function isRefusedCredential(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.findDetails(RejectionSchema).length > 0) return false;
  return error.code === Code.Unauthenticated || error.code === Code.PermissionDenied;
}
