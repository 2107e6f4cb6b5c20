import { formatEuros, type Cents } from "@hostledger/core";
import type { Command } from "commander";
import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import type { Answer } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

interface Reasoned {
  readonly reference: string;
  readonly reason: string;
  readonly allowDebt?: boolean;
}

/** Gives a command that takes from a balance the leave to take more than is there. */
function allowingDebt(command: Command): Command {
  return command.option("--allow-debt", "let the balance fall below zero", false);
}

/** `admin account credit`, `debit` and `reverse-top-up`: what staff correct on a balance. */
export function addAdjustmentCommands(account: Command, context: CommandContext): void {
  addAdjustment(
    account,
    context,
    "credit",
    "add to the balance what is no payment; the same reference twice adds once",
    1n,
  );
  addAdjustment(
    account,
    context,
    "debit",
    "take from the balance what is no charge; the same reference twice takes once",
    -1n,
  );
  addReversal(account, context);
}

function addAdjustment(
  account: Command,
  context: CommandContext,
  name: "credit" | "debit",
  description: string,
  sign: bigint,
): void {
  const command = account.command(name).description(description);
  if (sign < 0n) allowingDebt(command);
  command
    .argument("<id>", "account id", parseId)
    .requiredOption("--amount <euros>", "how much, for example 10.00", parseAmount)
    .requiredOption("--reference <text>", "what it is known by, 1 to 200 characters", parseText)
    .requiredOption("--reason <text>", "why, 1 to 500 characters; customers may read it", parseText)
    .action(async (accountId: bigint, options: Reasoned & { amount: Cents }, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { amount, reference, reason, allowDebt = false } = options;
        const asked = { accountId, amountCents: sign * amount, reference, reason, allowDebt };
        const done = await accounts.adjustBalance(asked);
        const moved = `${formatEuros(amount)} EUR ${sign > 0n ? "credited to" : "debited from"} account ${String(accountId)}`;
        return adjustedAnswer({ accountId, reference, ...done }, moved);
      });
    });
}

function addReversal(account: Command, context: CommandContext): void {
  const command = account
    .command("reverse-top-up")
    .description("take a whole payment back that did not stay, for example a returned direct debit");
  allowingDebt(command)
    .argument("<id>", "account id", parseId)
    .requiredOption("--reference <text>", "the payment's own reference, as it was credited", parseText)
    .requiredOption("--reason <text>", "why, 1 to 500 characters; customers may read it", parseText)
    .action(async (accountId: bigint, options: Reasoned, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { reference, reason, allowDebt = false } = options;
        const done = await accounts.reverseTopUp({ accountId, reference, reason, allowDebt });
        const moved = `Payment ${reference} taken back from account ${String(accountId)}`;
        return adjustedAnswer({ accountId, reference, ...done }, moved);
      });
    });
}

interface Adjusted {
  readonly accountId: bigint;
  readonly reference: string;
  readonly balanceCents: bigint;
  readonly repeated: boolean;
}

function adjustedAnswer({ accountId, reference, balanceCents, repeated }: Adjusted, moved: string): Answer {
  const balance = formatEuros(balanceCents);
  const sentence = repeated ? `Nothing was done: ${reference} was booked before.` : `${moved}.`;
  return {
    document: { account_id: jsonInteger(accountId), reference, balance, repeated },
    text: `${sentence} The balance is ${balance} EUR.\n`,
  };
}
