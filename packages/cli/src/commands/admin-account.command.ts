import { formatEuros, type Cents } from "@hostledger/core";
import { Option, type Command } from "commander";
import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { changed } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";
import { addAccountListCommands } from "./admin-account-list.command.ts";
import { accountAnswer, addAccountShowCommand } from "./admin-account-show.command.ts";
import { addAdjustmentCommands } from "./admin-adjustment.command.ts";
import { addEraseCommand } from "./admin-erase.command.ts";
import { addProfileCommand } from "./admin-profile.command.ts";
import { addQuotaCommand } from "./admin-quota.command.ts";

/** `admin account …`: customers' accounts, their VAT exemption and their balance. */
export function addAccountCommands(group: Command, context: CommandContext): void {
  const account = group.command("account").description("customers' accounts");
  addOpen(account, context);
  addAccountListCommands(account, context);
  addAccountShowCommand(account, context);
  addVatExempt(account, context);
  addProfileCommand(account, context);
  addQuotaCommand(account, context);
  addTopUp(account, context);
  addAdjustmentCommands(account, context);
  addEraseCommand(account, context);
  addKeyLost(account, context);
}

function addOpen(account: Command, context: CommandContext): void {
  account
    .command("open")
    .description("open an account")
    .requiredOption("--name <name>", "name of the customer, 1 to 200 characters", parseText)
    .option("--vat-exempt", "add no VAT to its charges", false)
    .action(async ({ name, vatExempt }: { name: string; vatExempt: boolean }, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { accountId } = await accounts.openAccount({ name, vatExempt });
        return {
          document: { account_id: jsonInteger(accountId) },
          text: `Account ${String(accountId)} is open.\n`,
        };
      });
    });
}

function addVatExempt(account: Command, context: CommandContext): void {
  account
    .command("vat-exempt")
    .description("set or lift the VAT exemption of an account")
    .argument("<id>", "account id", parseId)
    .addOption(new Option("--on", "add no VAT to its charges").conflicts("off"))
    .addOption(new Option("--off", "add VAT to its charges"))
    .action(async (accountId: bigint, { on, off }: { on?: true; off?: true }, command: Command) => {
      if (on === off) throw wrongUsage("Name --on, which adds no VAT, or --off, which adds it.");
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { repeated } = await accounts.setVatExemption({ accountId, vatExempt: on === true });
        return changed(repeated, accountAnswer(await accounts.showAccount({ accountId })));
      });
    });
}

function addTopUp(account: Command, context: CommandContext): void {
  account
    .command("top-up")
    .description("credit a payment to the balance; the same reference twice credits once")
    .argument("<id>", "account id", parseId)
    .requiredOption("--amount <euros>", "amount received, for example 100.00", parseAmount)
    .requiredOption("--reference <text>", "the payment's own reference, 1 to 200 characters", parseText)
    .action(async (accountId: bigint, options: { amount: Cents; reference: string }, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { amount: amountCents, reference } = options;
        const { invoiceId, balanceCents, repeated } = await accounts.topUpAccount({
          accountId,
          amountCents,
          reference,
        });
        const balance = formatEuros(balanceCents);
        return {
          document: { invoice_id: jsonInteger(invoiceId), balance, repeated },
          text: repeated
            ? `Nothing was done: ${reference} was credited before, with receipt ${String(invoiceId)}. The balance is ${balance} EUR.\n`
            : `${formatEuros(amountCents)} EUR credited with receipt ${String(invoiceId)}. The balance is ${balance} EUR.\n`,
        };
      });
    });
}

function addKeyLost(account: Command, context: CommandContext): void {
  account
    .command("key-lost")
    .description("declare that the key of an account's personal data is lost for good; its texts are gone")
    .argument("<id>", "account id", parseId)
    .action(async (accountId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const { erasedAt, apiKeysRevoked, repeated } = await accounts.declareKeyLost({ accountId });
        return changed(repeated, {
          document: {
            account_id: jsonInteger(accountId),
            erased_at: erasedAt,
            api_keys_revoked: apiKeysRevoked,
          },
          text: fields({
            account: jsonInteger(accountId),
            erased: erasedAt,
            "API keys revoked": apiKeysRevoked,
          }),
        });
      });
    });
}
