import { createClient, type ServiceImpl, type Transport } from "@connectrpc/connect";
import type { Seller } from "@hostledger/audit/documents";
import { createInvoiceFiles, formatsOf } from "@hostledger/gateway";
import { account } from "@hostledger/protocol";
import { Semaphore } from "@hostledger/runtime";

import { callOptions } from "./staff/passed-on.ts";

/** Nobody sits before a screen: those that are sent wait for each other, as many as are sent at once and some more. */
const renderingLimits = { permits: 1, waiting: 31 };

/**
 * Customers' documents as the files that are sent to them, laid out by what lays them out for download. The account service
 * is asked under the token of the part that calls, and says whether it may read.
 * @param accounts where the account service is reached.
 */
export function documentRpc(
  accounts: Transport,
  seller: Seller,
): ServiceImpl<typeof account.DocumentService> {
  const client = createClient(account.AccountService, accounts);
  const fileOf = createInvoiceFiles(seller, new Semaphore(renderingLimits));
  return {
    async getDocumentFiles({ invoiceId }, context) {
      const found = await client.getInvoice({ invoiceId }, callOptions(context, "part"));
      const files = await Promise.all(formatsOf(found).map((format) => fileOf(found, format)));
      return { files: files.map(({ name, type, bytes }) => ({ name, mediaType: type, content: bytes })) };
    },
  };
}
