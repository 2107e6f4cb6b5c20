import { counted, formatEuros } from "@hostledger/core";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";

import { ConnectError } from "@connectrpc/connect";
import type { admin } from "@hostledger/protocol";
import { rejectionOf, type StaffClient } from "@hostledger/rpc";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { writeAnswer } from "../audit/output-file.ts";
import { errorCodeOf, fileReason } from "../error-code.ts";
import { refused, wrongUsage } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, type Answer } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { argument, flag, option } from "../staff/command-line.codec.ts";
import { custom } from "../staff/staff-table.ts";

const pageSize = 1_000;

/** `admin account erase` is refused while the account has balance or resources. */
export const addEraseCommand = custom(
  ["erase", "erase the personal data of an account for good; events about money stay"],
  {
    accountId: argument("<id>", "account id", parseId),
    yes: flag("--yes", "confirm: the erasure cannot be undone"),
    directory: option(
      "--export <directory>",
      "write all invoices, receipts and corrections to this directory first, as PDF and XML",
      parseText,
    ),
    force: flag("--force", "erase even if the account has money, domains or servers"),
    settle: flag("--settle", "pay the balance out to the customer's bank account first"),
    iban: option(
      "--iban <iban>",
      "IBAN of the customer for --settle (default: the only bank account that the customer's money came from)",
      parseText,
    ),
  },
  async (staff, { accountId, yes, directory, force, settle, iban = "" }, { io }) => {
    if (iban !== "" && !settle) throw wrongUsage("--iban needs --settle, which pays the balance out.");
    const isConfirmed = yes || force || settle || directory !== undefined;
    // The instance's own refusal lists the obstacles and needs no confirmation.
    if (!isConfirmed && !(await hasMoney(staff, accountId)))
      throw wrongUsage(
        `The name and the ticket texts of account ${String(accountId)} cannot be brought back: repeat the command with --yes.`,
      );
    const exported = directory === undefined ? 0 : await exportDocuments(io, staff, accountId, directory);
    const erased = await staff.accounts.eraseAccount({ accountId, force, settle, iban });
    return erasureAnswer(erased, { exported, settle });
  },
);

/** Returns true if the instance would certainly refuse to erase the account. */
async function hasMoney({ accounts }: StaffClient, accountId: bigint): Promise<boolean> {
  const { balanceCents } = await accounts.showAccount({ accountId });
  return balanceCents !== 0n;
}

/** Writes an account's documents to a directory, where they stay. @returns number of documents */
async function exportDocuments(
  io: Io,
  { accounts, documents }: StaffClient,
  accountId: bigint,
  directory: string,
): Promise<number> {
  const { erasedAt } = await accounts.showAccount({ accountId });
  // Documents of an erased account are for finance only, who fetch them with `admin invoice fetch`.
  if (erasedAt !== undefined) return 0;
  try {
    // Not recursive: Node's recursive mkdir never returns for some impossible directories, such as in /proc.
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST")
      throw refused(`${directory} could not be made: ${fileReason(error)}.`, error);
  }
  let count = 0;
  for (let afterId = 0n; ;) {
    const { invoices } = await accounts.listAllInvoices({ accountId, page: { afterId, limit: pageSize } });
    for (const { invoice } of invoices) {
      if (invoice === undefined) throw new Error("the instance answered without an invoice");
      for (const format of ["pdf", "xml"] as const) await write(String(invoice.id), format);
      count += 1;
      afterId = invoice.id;
    }
    if (invoices.length < pageSize) break;
  }
  io.err(`${counted(count, "document is", "documents are")} in ${directory}.\n`);
  return count;

  async function write(invoice: string, format: "pdf" | "xml"): Promise<void> {
    try {
      const { fileName, content } = await documents.fetchInvoice({ invoice, format });
      await writeAnswer(io, join(directory, basename(fileName)), (sink) => {
        sink.write(content);
        return Promise.resolve();
      });
    } catch (error) {
      // Receipts have no electronic invoice.
      const isNone =
        format === "xml" && error instanceof ConnectError && rejectionOf(error).code === "not-found";
      if (!isNone) throw error;
    }
  }
}

function erasureAnswer(
  { accountId, erasedAt, keyDestroyed, apiKeysRevoked, repeated, ...kept }: admin.EraseAccountResponse,
  { exported, settle }: { readonly exported: number; readonly settle: boolean },
): Answer {
  const { documentsKept, documentsKeptUntil, postingsKeptUntil, payoutReference, paidOutCents } = kept;
  const paidOut = payoutReference === undefined ? null : formatEuros(paidOutCents);
  const document = {
    account_id: jsonInteger(accountId),
    erased_at: erasedAt,
    key_destroyed: keyDestroyed,
    api_keys_revoked: apiKeysRevoked,
    ...(exported > 0 && { documents_exported: exported }),
    ...(settle && { payout: payoutReference ?? null, paid_out: paidOut }),
    documents_kept: documentsKept,
    documents_kept_until: documentsKeptUntil ?? null,
    postings_kept_until: postingsKeptUntil,
  };
  return changed(repeated, {
    document,
    text: fields({
      account: document.account_id,
      erased: erasedAt,
      "key destroyed": keyDestroyed,
      "API keys revoked": apiKeysRevoked,
      ...(exported > 0 && { "documents exported": exported }),
      ...(paidOut !== null && {
        "paid out": `${paidOut} EUR as ${payoutReference ?? ""}, which waits: hostledger bank payouts`,
      }),
      "documents kept":
        documentsKeptUntil === undefined
          ? documentsKept
          : `${String(documentsKept)}, until the end of ${String(documentsKeptUntil)}; only the role finance and tax exports open them`,
      "postings kept": `until the end of ${String(postingsKeptUntil)}, under the account's number`,
    }),
  });
}
