import { counted, formatEuros, grouped } from "@hostledger/core";
import {
  differenceLine,
  passedOverLines,
  type Reconciliation,
  type UnfinishedCharge,
} from "@hostledger/audit/verification";
import type { Command } from "commander";

import { parseCount, parseText } from "../../arguments/value-parsers.ts";
import type { AuditOptions } from "../../audit/audit-address.ts";
import { askAudit } from "../../audit/audit-command.ts";
import { readProviderList } from "../../audit/provider-list.codec.ts";
import { reconcileBundle, reconcileInstance } from "../../audit/reconciled-log.ts";
import { refusingBundleErrors } from "../../audit/verification-options.ts";
import type { CommandContext } from "../../command-context.ts";
import { type Answer, reply } from "../../output/reply.ts";
import { type Column, printable, table } from "../../output/table.ts";
import { passedOverMembers, refuseInstance } from "./verify.command.ts";

/** Adds `audit reconcile`, which compares events, documents, read model, runs, bank and payment provider. */
export function addReconcileCommand(audit: Command, context: CommandContext): void {
  audit
    .command("reconcile")
    .description(
      "compare books, invoices, the balances shown, the runs of processes, bank statements, payments, refunds and payouts with each other",
    )
    .argument("[bundle]", "directory that `audit export` has written, in place of an instance", parseText)
    .option(
      "--unmatched-days <days>",
      "days after which an unassigned payment on the bank account, or a refund or payout that did not go out, counts as a difference (default: 7)",
      parseCount,
    )
    .option(
      "--provider-list <file>",
      "JSON file of what the payment provider settled, refunded, took back and paid out in a period (docs/auditors.md)",
    )
    .action(async (bundle: string | undefined, _options: object, command: Command) => {
      const { json, unmatchedDays, providerList, ...named } = command.optsWithGlobals<ReconcileOptions>();
      if (bundle !== undefined) refuseInstance(named, "reconciled");
      const provider = providerList === undefined ? undefined : await readProviderList(providerList);
      const sides = { unmatchedDays, provider };
      const reconciliation = await refusingBundleErrors(() =>
        bundle === undefined
          ? askAudit(context, command, (client) => reconcileInstance(context.io, client, sides))
          : reconcileBundle(context.io, bundle, sides),
      );
      reply(context.io, json, answerOf(reconciliation));
    });
}

interface ReconcileOptions extends AuditOptions {
  readonly unmatchedDays?: number;
  readonly providerList?: string;
}

function answerOf(reconciliation: Reconciliation): Answer {
  const { size, accounts, charges, differences, differenceCount, unfinished, outside } = reconciliation;
  const document = {
    size,
    accounts,
    charges: { ...charges },
    sums: pairs(reconciliation).map(({ pair, booksCents, otherCents }) => ({
      pair,
      books: formatEuros(booksCents),
      other: formatEuros(otherCents),
    })),
    difference_count: differenceCount,
    differences: differences.map((difference) => ({
      sides: difference.sides,
      account_id: difference.accountId ?? null,
      cause: difference.cause ?? null,
      index: difference.index ?? null,
      event: difference.event ?? null,
      message: difference.message,
      line: differenceLine(difference),
    })),
    unfinished: unfinished.map(unfinishedRow),
    outside: {
      statements: outside.statements,
      bank_entries: outside.bankEntries,
      waiting: outside.waiting,
      waiting_amount: formatEuros(outside.waitingCents),
      unexplained: outside.unexplained,
      unexplained_amount: formatEuros(outside.unexplainedCents),
      payments: outside.payments,
      refunds: outside.refunds,
      payouts: outside.payouts,
      not_compared: [...outside.notCompared],
    },
    ...passedOverMembers(reconciliation.passedOver),
  };
  const answer = { document, text: textOf(reconciliation) };
  if (differenceCount === 0) return answer;
  return {
    ...answer,
    refusal: `${counted(differenceCount, "difference")}.`,
  };
}

interface Pair {
  readonly pair: string;
  readonly booksCents: bigint;
  readonly otherCents: bigint;
}

function pairs({ sums }: Reconciliation): readonly Pair[] {
  return [
    { pair: "payments and receipts", booksCents: sums.creditedCents, otherCents: sums.receiptedCents },
    { pair: "charges and invoices", booksCents: sums.chargedCents, otherCents: sums.invoicedCents },
    { pair: "refunds and corrections", booksCents: sums.refundedCents, otherCents: sums.correctedCents },
    ...(sums.shownCents === undefined
      ? []
      : [{ pair: "balances and read model", booksCents: sums.balanceCents, otherCents: sums.shownCents }]),
  ];
}

const pairColumns: readonly Column<Pair>[] = [
  { heading: "Sums in EUR", cell: ({ pair }) => pair },
  { heading: "Books", cell: ({ booksCents }) => formatEuros(booksCents), align: "right" },
  { heading: "Other side", cell: ({ otherCents }) => formatEuros(otherCents), align: "right" },
  { heading: "Difference", cell: (pair) => formatEuros(pair.booksCents - pair.otherCents), align: "right" },
];

interface UnfinishedRow {
  readonly [key: string]: string | number;
  readonly charge_id: string;
  readonly account_id: number;
  readonly gross: string;
  readonly refunded: string;
  readonly state: string;
  readonly charged_at: string;
  readonly index: number;
}

function unfinishedRow(charge: UnfinishedCharge): UnfinishedRow {
  const { chargeId, accountId, grossCents, refundedCents, state, chargedAt, index } = charge;
  return {
    charge_id: chargeId,
    account_id: accountId,
    gross: formatEuros(grossCents),
    refunded: formatEuros(refundedCents),
    state,
    charged_at: chargedAt,
    index,
  };
}

const unfinishedColumns: readonly Column<UnfinishedRow>[] = [
  { heading: "Unfinished run", cell: ({ charge_id: chargeId }) => chargeId },
  { heading: "Account", cell: ({ account_id: accountId }) => accountId, align: "right" },
  { heading: "State", cell: ({ state }) => state },
  { heading: "Charged", cell: ({ gross }) => gross, align: "right" },
  { heading: "Refunded", cell: ({ refunded }) => refunded, align: "right" },
  { heading: "Since", cell: ({ charged_at: chargedAt }) => chargedAt },
];

function textOf(reconciliation: Reconciliation): string {
  const { size, accounts, charges, differences, differenceCount, unfinished, outside } = reconciliation;
  const left = differenceCount - differences.length;
  const sentences = [
    ...differences.map(differenceLine),
    ...(left === 0 ? [] : [`… and ${grouped(left)} more.`]),
    `Reconciled ${counted(size, "event")} of ${counted(accounts, "account")}: ` +
      (differenceCount === 0 ? "nothing differs." : "something differs."),
    `${counted(charges.charged, "charge")}: ${grouped(charges.delivered)} delivered, ` +
      `${grouped(charges.refunded)} refunded, ${grouped(charges.unfinished)} whose runs are unfinished.`,
    ...outsideLines(outside),
    ...passedOverLines(reconciliation.passedOver),
  ];
  const text = sentences.map((sentence) => `${printable(sentence)}\n`).join("");
  const sums = table(pairColumns, pairs(reconciliation));
  return unfinished.length === 0
    ? `${text}\n${sums}`
    : `${text}\n${sums}\n${table(unfinishedColumns, unfinished.map(unfinishedRow))}`;
}

function outsideLines(outside: Reconciliation["outside"]): readonly string[] {
  const { statements, bankEntries, waiting, waitingCents, unexplained, unexplainedCents } = outside;
  const { payments, refunds, payouts, notCompared } = outside;
  const waits =
    waiting === 0
      ? ""
      : `, of which ${counted(waiting, "payment")} of ${formatEuros(waitingCents)} EUR wait for staff`;
  const out = [
    ...(refunds === 0 ? [] : [counted(refunds, "refund")]),
    ...(payouts === 0 ? [] : [counted(payouts, "payout")]),
  ].join(" and ");
  return [
    ...(statements === 0
      ? []
      : [
          `${counted(statements, "file")} of the bank with ${counted(bankEntries, "entry", "entries")}${waits}.`,
        ]),
    ...(unexplained === 0
      ? []
      : [
          `${counted(unexplained, "payment")} of ${formatEuros(unexplainedCents)} EUR left the bank account and are neither payouts nor the payment provider's: book them yourself.`,
        ]),
    ...(payments === 0 ? [] : [`${counted(payments, "payment")} by customers.`]),
    ...(out === "" ? [] : [`${out} to customers.`]),
    ...notCompared.map((what) => `Not compared: ${what}.`),
  ];
}
