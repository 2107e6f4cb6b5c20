import { readFileSync } from "node:fs";

import { formatEuros } from "@hostledger/core";
import { type account as messages, admin, audit } from "@hostledger/protocol";
import { z } from "zod";

import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { changed } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { argument, fixed, flag, type Input, option, page, required } from "../staff/command-line.codec.ts";
import { call, type CommandRow, custom, noun } from "../staff/staff-table.ts";
import { accountAnswer, addAccountShowCommand } from "./admin-account-show.command.ts";
import { addEraseCommand } from "./admin-erase.command.ts";
import { holdCommands } from "./admin-hold.commands.ts";
import { payoutCommands } from "./admin-payout.commands.ts";
import { addQuotaCommand } from "./admin-quota.command.ts";
import { fileReason } from "../error-code.ts";

/** The instance validates the values. */
const value = z.string().nullish();
const profileFile = z.strictObject({
  kind: value,
  name: value,
  organisation: value,
  street: value,
  city: value,
  postal_code: value,
  country: value,
  email: value,
  phone: value,
  vat_id: value,
  leitweg_id: value,
});

const addProfileCommand = custom(
  ["profile", "show a customer's profile, or change it with a JSON file of fields of `PUT /account`"],
  {
    accountId: argument("<id>", "account id", parseId),
    changes: option(
      "--file <path>",
      "JSON object: absent fields stay as they are, null removes a value",
      (path) => readProfile(parseText(path)),
    ),
  },
  async ({ accounts }, asked) => {
    const { profile, repeated } = await accounts.setProfile(asked);
    const answer = profileAnswer(asked.accountId, profile);
    return asked.changes === undefined ? answer : changed(repeated, answer);
  },
);

/** Reads the file's fields; null becomes an empty text, which clears a field. @throws CommandFailure `wrongUsage` */
function readProfile(path: string): Partial<Record<string, string>> {
  const { postal_code: postalCode, vat_id: vatId, leitweg_id: leitwegId, ...same } = parseProfile(path);
  const named = Object.entries({ ...same, postalCode, vatId, leitwegId }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text ?? ""] as const],
  );
  return Object.fromEntries(named);
}

function parseProfile(path: string): z.output<typeof profileFile> {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is no JSON" : fileReason(error);
    throw wrongUsage(`--file must name a JSON file that can be read, not ${path}: ${reason}.`);
  }
  const result = profileFile.safeParse(document);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join(".") ?? "";
  throw wrongUsage(
    `${path} must be a JSON object with some of ${Object.keys(profileFile.shape).join(", ")}, each a text or null${place === "" ? "" : `: look at ${place}`}.`,
  );
}

function profileAnswer(accountId: bigint, answer: messages.GetProfileResponse | undefined) {
  const shown = (text: string | undefined): string | null =>
    text === undefined || text === "" ? null : text;
  const profile = answer?.profile;
  const document = {
    account_id: jsonInteger(accountId),
    kind: shown(profile?.kind),
    name: shown(profile?.name),
    organisation: shown(profile?.organisation),
    street: shown(profile?.street),
    city: shown(profile?.city),
    postal_code: shown(profile?.postalCode),
    country: shown(profile?.country),
    email: shown(profile?.email),
    phone: shown(profile?.phone),
    vat_id: shown(profile?.vatId),
    leitweg_id: shown(profile?.leitwegId),
    missing: answer?.missing ?? [],
    updated_at: answer?.changedAt ?? null,
  };
  const missing = document.missing.length === 0 ? null : document.missing.join(", ");
  return { document, text: fields({ ...document, missing }) };
}

const { openAccount, topUpAccount, declareKeyLost, reverseTopUp, adjustBalance } =
  admin.AccountAdminService.method;
const { listAuditedAccounts } = audit.AuditService.method;

const accountId = argument("<id>", "account id", parseId);
const allowDebt = flag("--allow-debt", "let the balance fall below zero");
const reason = required("--reason <text>", "why, 1 to 500 characters; customers may read it", parseText);

const accountColumns = {
  id: "accountId",
  name: "name",
  "balance EUR": "balanceCents",
  opened: "openedAt",
  "last movement": "lastMovementAt",
} as const;
const accounts = viewOf(audit.AuditedAccountSchema, accountColumns, { foundBy: null });
const foundAccounts = viewOf(audit.AuditedAccountSchema, {
  ...accountColumns,
  "found by": ({ foundBy }) => foundBy.join(", "),
});

export const addAccountCommands = noun("account", "customers' accounts", [
  call(["open", "open an account"], openAccount, {
    inputs: {
      name: required("--name <name>", "name of the customer, 1 to 200 characters", parseText),
      vatExempt: flag("--vat-exempt", "add no VAT to its charges"),
    },
    text: ({ accountId: id }) => `Account ${String(id)} is open.\n`,
  }),
  call(["list", "list accounts and their balances, by id"], listAuditedAccounts, {
    inputs: { page },
    answer: (list) => accounts.list(list.accounts),
  }),
  call(
    [
      "search",
      "find accounts by part of a name, an organisation or an e-mail address; or by a complete id, domain, server's address, " +
        "document number, ticket id or request id",
    ],
    listAuditedAccounts,
    {
      inputs: { search: argument("<text>", "text to search for, 1 to 254 characters", parseText), page },
      answer: (list) => foundAccounts.list(list.accounts),
    },
  ),
  addAccountShowCommand,
  custom(
    ["vat-exempt", "set or lift the VAT exemption of an account"],
    {
      accountId,
      on: option("--on", "add no VAT to its charges", undefined, "off"),
      off: option("--off", "add VAT to its charges"),
    },
    async (staff, { accountId: id, on }) => {
      const asked = { accountId: id, vatExempt: on !== undefined };
      const { repeated } = await staff.accounts.setVatExemption(asked);
      return changed(repeated, accountAnswer(await staff.accounts.showAccount({ accountId: id })));
    },
    ({ on, off }) => {
      if (on === off) throw wrongUsage("Name --on, which adds no VAT, or --off, which adds it.");
    },
  ),
  addProfileCommand,
  addQuotaCommand,
  call(["top-up", "credit a payment to the balance; a reference counts once"], topUpAccount, {
    inputs: {
      accountId,
      amountCents: required("--amount <euros>", "amount received, for example 100.00", parseAmount),
      reference: required(
        "--reference <text>",
        "the payment's own reference, 1 to 200 characters",
        parseText,
      ),
    },
    answer({ invoiceId, balanceCents, repeated }, { amountCents = 0n, reference = "" }) {
      const [receipt, balance] = [`with receipt ${String(invoiceId)}`, formatEuros(balanceCents)];
      const done = repeated
        ? `Nothing was done: ${reference} was credited before, ${receipt}.`
        : `${formatEuros(amountCents)} EUR credited ${receipt}.`;
      return {
        document: { invoice_id: jsonInteger(invoiceId), balance, repeated },
        text: `${done} The balance is ${balance} EUR.\n`,
      };
    },
  }),
  adjustment("credit", "add an amount that is no payment to the balance; a reference counts once", 1n),
  adjustment("debit", "subtract an amount that is no charge from the balance; a reference counts once", -1n),
  call(["reverse-top-up", "take back a whole payment, for example a returned direct debit"], reverseTopUp, {
    inputs: {
      allowDebt,
      accountId,
      reference: required("--reference <text>", "the payment's own reference, as it was credited", parseText),
      reason,
    },
    answer: (done, { accountId: id = 0n, reference = "" }) =>
      bookedAnswer(id, reference, done, `Payment ${reference} taken back from account ${String(id)}`),
  }),
  ...payoutCommands,
  addEraseCommand,
  ...holdCommands,
  call(
    [
      "key-lost",
      "declare that the key of an account's personal data is lost; nobody can read the data again",
    ],
    declareKeyLost,
    {
      inputs: { accountId },
      document: ({ erasedAt, apiKeysRevoked }, { accountId: id = 0n }) => ({
        account_id: jsonInteger(id),
        erased_at: erasedAt,
        api_keys_revoked: apiKeysRevoked,
      }),
      text: ({ erasedAt, apiKeysRevoked }, { accountId: id = 0n }) =>
        fields({ account: jsonInteger(id), erased: erasedAt, "API keys revoked": apiKeysRevoked }),
    },
  ),
]);

/** Declares `admin account credit` and `debit`, the staff's adjustments of a balance. */
function adjustment(name: "credit" | "debit", description: string, sign: bigint): CommandRow {
  const parseSigned = (text: string): bigint => sign * parseAmount(text);
  const debt: Input<boolean> = sign < 0n ? allowDebt : fixed(false);
  return call([name, description], adjustBalance, {
    inputs: {
      allowDebt: debt,
      accountId,
      amountCents: required("--amount <euros>", "how much, for example 10.00", parseSigned),
      reference: required(
        "--reference <text>",
        "reference of the adjustment, 1 to 200 characters",
        parseText,
      ),
      reason,
    },
    answer(done, { accountId: id = 0n, amountCents = 0n, reference = "" }) {
      const moved = `${formatEuros(sign * amountCents)} EUR ${sign > 0n ? "credited to" : "debited from"}`;
      return bookedAnswer(id, reference, done, `${moved} account ${String(id)}`);
    },
  });
}

function bookedAnswer(
  accountId: bigint,
  reference: string,
  { balanceCents, repeated }: { readonly balanceCents: bigint; readonly repeated: boolean },
  moved: string,
) {
  const balance = formatEuros(balanceCents);
  const sentence = repeated ? `Nothing was done: ${reference} was booked before.` : `${moved}.`;
  return {
    document: { account_id: jsonInteger(accountId), reference, balance, repeated },
    text: `${sentence} The balance is ${balance} EUR.\n`,
  };
}
