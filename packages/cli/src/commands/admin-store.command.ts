import type { Command } from "commander";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

interface AcceptOptions {
  readonly reason: string;
  readonly above?: bigint;
}

/** `admin store …`: a store that was put back to an older copy sells nothing until somebody accepts the copy. */
export function addStoreAdminCommands(group: Command, context: CommandContext): void {
  group
    .command("store")
    .description("the event store of this installation")
    .command("accept")
    .description("sell again after the event store was put back to an older copy")
    .requiredOption("--reason <text>", "why the copy is right; stored for good", parseText)
    .option(
      "--above <id>",
      "continue every sequence of ids above this one, where nothing knows the last id given out",
      parseId,
    )
    .action(async ({ reason, above }: AcceptOptions, command: Command) => {
      await answerFromStaff(context, command, async ({ store }) => {
        const request = above === undefined ? { reason } : { reason, above };
        const { series } = await store.acceptStore(request);
        const text =
          series === 0
            ? "There is nothing to accept: no process found the store put back to an older copy.\n"
            : `The store was accepted. New documents are numbered in the series R${String(series)}, and new ids leave a gap.\n`;
        return { document: { series: series === 0 ? null : series }, text };
      });
    });
}
