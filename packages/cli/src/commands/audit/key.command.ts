import type { Command } from "commander";
import { answerFromAudit } from "../../audit/audit-command.ts";
import type { AuditOptions } from "../../audit/audit-options.ts";
import type { CommandContext } from "../../command-context.ts";
import { wrongUsage } from "../../exit-code.ts";
import type { Answer } from "../../output/reply.ts";
import { answerFromStaff } from "../../staff/staff-command.ts";

/** `audit key`: the key that checkpoints are verified with, and `audit key rotate`, which makes a new one. */
export function addAuditKeyCommands(audit: Command, context: CommandContext): void {
  const key = audit
    .command("key")
    .description("show the keys that verify the log's checkpoints, the present one first")
    .action(async (_options: object, command: Command) => {
      await answerFromAudit(context, command, async (client) =>
        keyAnswer((await client.getCheckpoint({})).verifierKeys),
      );
    });
  key
    .command("rotate")
    .description("make a new key, which signs beside the old one from now on (staff)")
    .action(async (_options: object, command: Command) => {
      if (command.optsWithGlobals<AuditOptions>().auditUrl !== undefined)
        throw wrongUsage("Only staff may rotate the key: use --admin-url or --data, not --audit-url.");
      await answerFromStaff(context, command, async ({ auditors }) =>
        keyAnswer((await auditors.rotateAuditKey({})).verifierKeys),
      );
    });
}

function keyAnswer(verifierKeys: readonly string[]): Answer {
  return { document: { verifier_keys: verifierKeys }, text: verifierKeys.map((key) => `${key}\n`).join("") };
}
