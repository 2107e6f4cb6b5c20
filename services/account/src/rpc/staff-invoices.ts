import type { ServiceImpl } from "@connectrpc/connect";
import { accountOfDocument, parseLine } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { noSuch, requestedId, requestedPage, validated } from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import type { InvoiceRow } from "../reads/account.queries.ts";
import { staffInvoiceMessage } from "./account.message.ts";
import { readDocument } from "./get-invoice.rpc.ts";

const maximumNumberLength = 64;

export function staffInvoiceHandlers(
  dependencies: AccountDependencies,
): Pick<ServiceImpl<typeof admin.AccountAdminService>, "listAllInvoices" | "showInvoice"> {
  const { projector, queries } = dependencies;
  return {
    async listAllInvoices(request) {
      const page = requestedPage(request.page);
      if (request.accountId === undefined)
        return { invoices: (await queries.allInvoices(page)).map(staffInvoiceMessage) };
      const accountId = requestedId("account", request.accountId);
      await projector.after((await findAccount(dependencies, accountId)).position);
      return { invoices: (await queries.invoicesOf(accountId, page)).map(staffInvoiceMessage) };
    },

    async showInvoice(request) {
      const row = await findDocumentRow(dependencies, request.invoice);
      const document = await readDocument(dependencies, row);
      return { invoice: staffInvoiceMessage(row), lines: document.lines ?? [], document };
    },
  };
}

/** Finds a document by its number or id. @throws ConnectError `not-found`, `validation-failed` */
export async function findDocumentRow(
  { projector, queries }: Pick<AccountDependencies, "projector" | "queries">,
  invoice: string,
): Promise<InvoiceRow> {
  const { invoice: wanted } = validated({ invoice: parseLine(invoice, maximumNumberLength) });
  const owner = accountOfDocument(wanted);
  const find = async () => (owner === undefined ? undefined : await queries.invoiceByNumber(owner, wanted));
  const row =
    owner !== undefined
      ? ((await find()) ?? (await projector.after({ stream: `account-${String(owner)}` }).then(find)))
      : /^[1-9]\d{0,14}$/u.test(wanted)
        ? await queries.invoiceById(Number(wanted))
        : undefined;
  if (row === undefined) throw noSuch("invoice");
  return row;
}
