import type { Command } from "commander";
import { answerFromAudit } from "../../audit/audit-command.ts";
import { parseText } from "../../arguments/value-parsers.ts";
import type { AuditOptions } from "../../audit/audit-address.ts";
import type { CommandContext } from "../../command-context.ts";
import { wrongUsage } from "../../exit-code.ts";
import type { Answer } from "../../output/reply.ts";
import { answerFromStaff } from "../../staff/staff-command.ts";

export function addAuditKeyCommands(audit: Command, context: CommandContext): void {
  const key = audit
    .command("key")
    .description("show the keys that verify the log's checkpoints, the present key first")
    .action(async (_options: object, command: Command) => {
      await answerFromAudit(context, command, async (client) =>
        keyAnswer((await client.getCheckpoint({})).verifierKeys),
      );
    });
  key
    .command("rotate")
    .description("create a new key, which signs together with the old key from now on (staff)")
    .action(async (_options: object, command: Command) => {
      refuseAuditors(command, "rotate the key");
      await answerFromStaff(context, command, async ({ auditors }) =>
        rotatedAnswer((await auditors.rotateAuditKey({})).verifierKeys),
      );
    });
}

/** Adds `audit log restart`, which rebuilds a log that lost its state after staff gave a reason. */
export function addAuditLogCommands(audit: Command, context: CommandContext): void {
  audit
    .command("log")
    .description("the log itself (staff)")
    .command("restart")
    .description("rebuild the log from the store after its state was lost; the reason is stored in an event")
    .requiredOption("--reason <text>", "why, for auditors", parseText)
    .action(async ({ reason }: { reason: string }, command: Command) => {
      refuseAuditors(command, "restart the log");
      await answerFromStaff(context, command, async ({ auditors }) => {
        const { origin } = await auditors.restartAuditLog({ reason });
        return { document: { origin }, text: `The log ${origin} is rebuilt from the store.\n` };
      });
    });
}

/** @throws CommandFailure (2) if the command line names `--audit-url`. */
function refuseAuditors(command: Command, what: string): void {
  if (command.optsWithGlobals<AuditOptions>().auditUrl !== undefined)
    throw wrongUsage(`Only staff may ${what}: use --admin-url or --data, not --audit-url.`);
}

function rotatedAnswer(verifierKeys: readonly string[]): Answer {
  const { document, text } = keyAnswer(verifierKeys);
  return {
    document,
    text: `A new key signs from now on beside the old one; it is the first of these:\n${text}`,
  };
}

function keyAnswer(verifierKeys: readonly string[]): Answer {
  return { document: { verifier_keys: verifierKeys }, text: verifierKeys.map((key) => `${key}\n`).join("") };
}
