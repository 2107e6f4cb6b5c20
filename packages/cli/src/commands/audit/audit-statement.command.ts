import { renderStatement } from "@hostledger/audit/documents";
import type { audit } from "@hostledger/protocol";
import { statementCsv, statementDocument, statementText, type Statement } from "@hostledger/audit/reports";
import { defined } from "@hostledger/runtime";
import { Option, type Command } from "commander";
import { parseId } from "../../arguments/value-parsers.ts";
import { askAudit, reportUnreadable } from "../../audit/audit-command.ts";
import { parseFrom, parseUntil, refuseReversed } from "../../audit/instant-parsers.ts";
import { addOutputOption, writeAnswer } from "../../audit/output-file.ts";
import type { CommandContext } from "../../command-context.ts";
import { wrongUsage } from "../../exit-code.ts";
import { jsonInteger } from "../../output/json.ts";

const formats = ["text", "csv", "json", "pdf"] as const;

interface StatementOptions {
  readonly from?: string;
  readonly asOf?: string;
  readonly format?: (typeof formats)[number];
  readonly output?: string;
  readonly json?: boolean;
}

/** Adds `audit statement ACCOUNT`: opening balance, each movement with its cause, closing balance. */
export function addStatementCommand(audit: Command, context: CommandContext): void {
  const statement = audit
    .command("statement")
    .description("recompute an account's movements: opening balance, each with its cause, closing balance")
    .argument("<account>", "account id", parseId)
    .option(
      "--from <instant>",
      "movements stored at this instant or later; a date means its midnight, UTC",
      parseFrom,
    )
    .option(
      "--as-of <instant>",
      "movements stored up to this instant; a date means the end of that day, UTC",
      parseUntil,
    )
    .addOption(new Option("--format <format>", "format of the statement (default: text)").choices(formats));
  addOutputOption(statement).action(async (accountId: bigint, _options: object, command: Command) => {
    const { from, asOf, format, output, json } = command.optsWithGlobals<StatementOptions>();
    refuseReversed(from, asOf, "--as-of");
    if (json === true && format !== undefined && format !== "json")
      throw wrongUsage(`--json and --format ${format} contradict each other: name one of them.`);
    const answer = await askAudit(context, command, (client) =>
      client.getStatement({
        accountId,
        ...defined({ fromTime: from, asOf }),
      }),
    );
    reportUnreadable(context.io, "statement", answer.unreadable);
    const bytes = await rendered(statementFrom(answer), json === true ? "json" : (format ?? "text"));
    await writeAnswer(context.io, output, ({ write }) => {
      write(bytes);
      return Promise.resolve();
    });
  });
}

async function rendered(statement: Statement, format: (typeof formats)[number]): Promise<Uint8Array> {
  switch (format) {
    case "text":
      return Buffer.from(statementText(statement));
    case "csv":
      return Buffer.from(statementCsv(statement));
    case "json":
      return Buffer.from(`${JSON.stringify(statementDocument(statement), undefined, 2)}\n`);
    case "pdf":
      return renderStatement(statement);
  }
}

function statementFrom(answer: audit.GetStatementResponse): Statement {
  return {
    accountId: jsonInteger(answer.accountId),
    name: answer.name,
    from: answer.fromTime,
    asOf: answer.asOf,
    openingBalanceCents: answer.openingBalanceCents,
    movements: answer.movements.map((movement) => ({
      type: movement.type,
      time: movement.time,
      revision: movement.revision,
      amountCents: movement.amountCents,
      balanceAfterCents: movement.balanceAfterCents,
      cause: movement.cause,
      documentNumber: movement.documentNumber,
      documentId: jsonInteger(movement.documentId),
      description: movement.description,
      actor: movement.actor,
      requestId: movement.requestId,
    })),
    closingBalanceCents: answer.closingBalanceCents,
  };
}
