import { counted, formatEuros, grouped } from "@hostledger/core";
import { Backoff, type Timing } from "@hostledger/runtime";
import type { LogEvent } from "@hostledger/audit/log";
import {
  BundleError,
  differenceLine,
  passedOverLines,
  reconciler,
  type OtherSides,
  type Reconciliation,
  type UnfinishedCharge,
} from "@hostledger/audit/verification";
import type { Command } from "commander";

import type { AuditOptions } from "../../audit/audit-address.ts";
import { type AuditClient, readingDeadlineMilliseconds } from "../../audit/audit-client.ts";
import { askAudit } from "../../audit/audit-command.ts";
import { type LiveLog, openLiveLog } from "../../audit/live-log.ts";
import { readProviderList } from "../../audit/provider-list.codec.ts";
import { refusingBundleErrors } from "../../audit/verification-options.ts";
import { parseCount } from "../../arguments/value-parsers.ts";
import type { CommandContext } from "../../command-context.ts";
import type { Io } from "../../io.ts";
import { progressBar } from "../../output/progress-bar.ts";
import { type Answer, reply } from "../../output/reply.ts";
import { type Column, printable, table } from "../../output/table.ts";
import { passedOverMembers } from "./verify.command.ts";

/** Adds `audit reconcile`, which compares events, documents, read model and runs. */
export function addReconcileCommand(audit: Command, context: CommandContext): void {
  audit
    .command("reconcile")
    .description(
      "compare books, invoices, the balances shown, the runs of processes, bank statements and payments with each other",
    )
    .option(
      "--unmatched-days <days>",
      "days after which a payment on the bank account that nobody has counts as a difference (default: 7)",
      parseCount,
    )
    .option(
      "--provider-list <file>",
      "JSON file of what the payment provider settled and took back in a period (docs/auditors.md)",
    )
    .action(async (_options: object, command: Command) => {
      const { json, unmatchedDays, providerList } = command.optsWithGlobals<ReconcileOptions>();
      const provider = providerList === undefined ? undefined : await readProviderList(providerList);
      const reconciliation = await refusingBundleErrors(() =>
        askAudit(context, command, (client) => reconciled(context.io, client, { unmatchedDays, provider })),
      );
      reply(context.io, json, answerOf(reconciliation));
    });
}

interface ReconcileOptions extends AuditOptions {
  readonly unmatchedDays?: number;
  readonly providerList?: string;
}

async function reconciled(io: Io, client: AuditClient, sides: OtherSides): Promise<Reconciliation> {
  const log = await openWholeLog(client, io.timing);
  const bar = progressBar(io, "events");
  try {
    const show = async (see: (event: LogEvent) => void): Promise<void> => {
      let read = 0;
      for await (const batch of log.events()) {
        for (const event of batch) see(event);
        bar.report((read += batch.length), log.size);
      }
    };
    let reconciling = reconciler();
    await show(reconciling.see);
    const again = reconciling.again();
    if (again !== undefined) {
      reconciling = again;
      await show(reconciling.see);
    }
    return reconciling.end({ ...sides, shown: await log.shownBalances() });
  } finally {
    bar.end();
  }
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
      payments: outside.payments,
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
  const { statements, bankEntries, waiting, waitingCents, payments, notCompared } = outside;
  const waits =
    waiting === 0
      ? ""
      : `, of which ${counted(waiting, "payment")} of ${formatEuros(waitingCents)} EUR wait for staff`;
  return [
    ...(statements === 0
      ? []
      : [
          `${counted(statements, "file")} of the bank with ${counted(bankEntries, "entry", "entries")}${waits}.`,
        ]),
    ...(payments === 0 ? [] : [`${counted(payments, "payment")} by customers.`]),
    ...(notCompared.length === 0 ? [] : [`Not compared: ${notCompared.join(", ")}.`]),
  ];
}

/** Pauses while waiting for a checkpoint over the whole log. Checkpoints are signed every second, less often under load. */
const signingBackoff = { firstMs: 200, longestMs: 1_600 };
const attempts = 8;

/** Opens the log at a checkpoint over all present events. @throws BundleError if none arrives */
async function openWholeLog(client: AuditClient, timing: Timing): Promise<LiveLog> {
  const end = await sizeOf(client);
  const backoff = new Backoff(signingBackoff, timing);
  for (let attempt = 1; ; attempt += 1) {
    const log = await openLiveLog(client, timing);
    if (log.size >= end) return log;
    if (attempt >= attempts)
      throw new BundleError(
        `The audit log is behind: its last checkpoint signs ${String(log.size)} of its ${counted(end, "event")}, and later events were not checked. Try again, or read the reason at GET /readyz.`,
      );
    await backoff.pause();
  }
}

/** Returns the number of events in the log, signed or unsigned. */
async function sizeOf(client: AuditClient): Promise<number> {
  const request = { firstIndex: 0n, limit: 1n, asStored: true };
  let end = 0;
  for await (const { endIndex } of client.readEvents(request, { timeoutMs: readingDeadlineMilliseconds }))
    end = Number(endIndex);
  return end;
}
