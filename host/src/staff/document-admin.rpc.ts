import { createClient, type ServiceImpl, type Transport } from "@connectrpc/connect";
import { parsed, unparsable, type Parsed } from "@hostledger/core";
import type { Seller } from "@hostledger/audit/documents";
import { createInvoiceFiles, invoiceFormats, type InvoiceFormat } from "@hostledger/gateway";
import { admin } from "@hostledger/protocol";
import { validated } from "@hostledger/rpc";

import { callOptions } from "./passed-on.ts";

/**
 * Customers' documents as files, laid out by what lays them out for customers. The account service is asked under the
 * credential of whoever calls, and says who may read.
 * @param accounts where staff reach the account service.
 */
export function documentAdminRpc(
  accounts: Transport,
  seller: Seller,
): ServiceImpl<typeof admin.DocumentAdminService> {
  const client = createClient(admin.AccountAdminService, accounts);
  const fileOf = createInvoiceFiles(seller);
  return {
    async fetchInvoice(request, context) {
      const { format } = validated({ format: parseFormat(request.format) });
      const { document } = await client.showInvoice({ invoice: request.invoice }, callOptions(context));
      if (document === undefined) throw new Error("the account service answered no document");
      const { name, type, bytes } = await fileOf(document, format);
      return { fileName: name, mediaType: type, content: bytes };
    },
  };
}

function parseFormat(text: string): Parsed<InvoiceFormat> {
  const format = invoiceFormats.find((one) => one === text);
  return format === undefined ? unparsable(`must be one of ${invoiceFormats.join(", ")}`) : parsed(format);
}
