import { formatEuros } from "@hostledger/core";
import type { Command } from "commander";
import { paged, type PageOptions } from "../arguments/page-options.ts";
import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin account list` and `search`: which customers there are. */
export function addAccountListCommands(account: Command, context: CommandContext): void {
  paged(account.command("list").description("list accounts and their balances, by id")).action(
    async (page: PageOptions, command: Command) => {
      await answerAccounts(context, command, "", page);
    },
  );
  paged(
    account
      .command("search")
      .description(
        "find accounts by a part of a name, an organisation or an e-mail address; or by a whole id, domain, server's address, " +
          "number of a document, ticket's id or request id",
      )
      .argument("<text>", "what to look for, 1 to 254 characters", parseText),
  ).action(async (text: string, page: PageOptions, command: Command) => {
    await answerAccounts(context, command, text, page);
  });
}

/** What is told of an account, as far as a column needs it. */
interface Row {
  readonly found_by?: readonly string[];
}

async function answerAccounts(
  context: CommandContext,
  command: Command,
  search: string,
  { after = 0n, limit }: PageOptions,
): Promise<void> {
  await answerFromStaff(context, command, async ({ audits }) => {
    const { accounts } = await audits.listAuditedAccounts({ search, page: { afterId: after, limit } });
    const rows = accounts.map(({ accountId, name, balanceCents, openedAt, lastMovementAt, foundBy }) => ({
      account_id: jsonInteger(accountId),
      name,
      balance: formatEuros(balanceCents),
      opened_at: openedAt,
      last_movement_at: lastMovementAt ?? null,
      ...(search === "" ? {} : { found_by: foundBy }),
    }));
    return listing(rows, [
      { heading: "id", cell: (row) => row.account_id, align: "right" },
      { heading: "name", cell: (row) => row.name },
      { heading: "balance EUR", cell: (row) => row.balance, align: "right" },
      { heading: "opened", cell: (row) => row.opened_at },
      { heading: "last movement", cell: (row) => row.last_movement_at ?? "" },
      ...(search === "" ? [] : [{ heading: "found by", cell: (row: Row) => row.found_by?.join(", ") }]),
    ]);
  });
}
