import type { CallOptions, Client } from "@connectrpc/connect";
import type { account as messages, domain as domainMessages } from "@hostledger/protocol";

import { defined } from "@hostledger/runtime";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { balance, invoiceList } from "../schemas/billing.schema.ts";
import { listQuery } from "../schemas/page.schema.ts";
import { domainFilter } from "../schemas/values.schema.ts";
import { balanceView, invoiceView } from "../views/billing.view.ts";

/** Operations on the balance and the list of invoices. */
export function billingRoutes(
  accounts: Client<typeof messages.AccountService>,
  domains: Client<typeof domainMessages.DomainService>,
): Operation[] {
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
      request: {
        query: listQuery.extend({
          domain: domainFilter.optional(),
        }),
      },
      responses: { 200: invoiceList },
      refusals: [],
      handle: ({ query }, { accountId, call }) =>
        listed("/billing/invoices", query, async ({ filter = {}, ...page }) => {
          const domainId = await filteredDomain(domains, query.domain, call);
          if (domainId === null) return [];
          const filters = { ...filter, ...defined({ domainId }) };
          const asked = Object.keys(filters).length === 0 ? page : { ...page, filter: filters };
          const list = await accounts.listInvoices({ accountId, page: asked }, call);
          return list.invoices.map(invoiceView);
        }),
    }),
  ];
}

/** Returns the id of the domain in a filter; null if the account has no domain of that name. */
async function filteredDomain(
  domains: Pick<Client<typeof domainMessages.DomainService>, "listDomains">,
  reference: bigint | string | undefined,
  call: CallOptions,
): Promise<bigint | undefined | null> {
  if (typeof reference !== "string") return reference;
  const [found] = (await domains.listDomains({ name: reference }, call)).domains;
  return found?.id ?? null;
}
