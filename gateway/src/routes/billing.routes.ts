import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { balance, invoiceList } from "../schemas/billing.schema.ts";
import { pageQuery } from "../schemas/page.schema.ts";
import { balanceView, invoiceView } from "../views/billing.view.ts";

/** The operations on the account's money. Each reads: schema → Connect call → view. */
export function billingRoutes(accounts: Client<typeof messages.AccountService>): Operation[] {
  return [
    operation({
      id: "getBalance",
      scopes: ["billing", "read"],
      tag: "Billing",
      method: "get",
      path: "/billing/balance",
      summary: "Read the balance of the account",
      request: {},
      responses: { 200: balance },
      refusals: [],
      async handle(_request, { accountId, call }) {
        const account = await accounts.getAccount({ accountId }, call);
        return { status: 200, body: balanceView(account) };
      },
    }),
    operation({
      id: "listInvoices",
      scopes: ["billing", "read"],
      tag: "Billing",
      method: "get",
      path: "/billing/invoices",
      summary: "List the invoices of the account, oldest first",
      request: { query: pageQuery },
      responses: { 200: invoiceList },
      refusals: [],
      handle: ({ query }, { accountId, call }) =>
        listed("/billing/invoices", query, async (page) => {
          const list = await accounts.listInvoices({ accountId, page }, call);
          return list.invoices.map(invoiceView);
        }),
    }),
  ];
}
