import type { ServiceImpl } from "@connectrpc/connect";
import { parsed, rejection, unparsable, type Parsed } from "@hostledger/core";
import type { account, admin } from "@hostledger/protocol";
import {
  callerOf,
  rejectionError,
  requestedId,
  requireStaff,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { documentFormats, type DocumentFormat } from "@hostledger/store/documents";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { mediaTypes } from "../documents/render-document.ts";
import { findDocument } from "./get-invoice.rpc.ts";
import { findDocumentRow } from "./staff-invoices.ts";

/** Creates the handlers of documents' files, for their customer and for services. */
export function documentRpc(dependencies: AccountDependencies): ServiceImpl<typeof account.DocumentService> {
  const { documents } = dependencies;
  return {
    async getDocumentFiles(request, context) {
      const format =
        request.format === "" ? undefined : validated({ format: parseFormat(request.format) }).format;
      const documentId = await requestedDocument(dependencies, request.invoiceId, context);
      return { files: await filesOf(dependencies, documentId, format) };
    },

    async getArchivedDocument(request, context) {
      const documentId = await requestedDocument(dependencies, request.invoiceId, context);
      return documents.proven(documentId);
    },
  };
}

/** Files of documents for staff. */
export function documentAdminRpc(
  dependencies: AccountDependencies,
): ServiceImpl<typeof admin.DocumentAdminService> {
  return {
    async fetchInvoice(request, context) {
      const { format } = validated({ format: parseFormat(request.format) });
      const row = await findDocumentRow(dependencies, request.invoice);
      const { role } = requireStaff(context);
      if (role !== "finance" && role !== "owner") await refuseIfErased(dependencies, row.account_id);
      const [file] = await filesOf(dependencies, row.id, format);
      if (file === undefined) throw new Error("the archive answered no file");
      return { fileName: file.name, mediaType: file.mediaType, content: file.content };
    },
  };
}

/** @throws ConnectError `not-found`, `unauthorized` */
async function requestedDocument(
  dependencies: AccountDependencies,
  invoiceId: bigint,
  context: WithContextValues,
): Promise<number> {
  const caller = callerOf(context);
  const row = await findDocument(dependencies, requestedId("invoice", invoiceId), caller);
  await refuseIfErased(dependencies, row.account_id);
  return row.id;
}

/** Documents of an erased person are kept for the books alone. @throws ConnectError `unauthorized` */
async function refuseIfErased(dependencies: AccountDependencies, accountId: number): Promise<void> {
  const { erasedAt } = (await findAccount(dependencies, accountId)).account;
  if (erasedAt === undefined) return;
  const sentence = `Account ${String(accountId)} was erased: only staff with the roles finance and owner open its documents.`;
  throw rejectionError(rejection("unauthorized", sentence));
}

async function filesOf(
  { documents }: AccountDependencies,
  documentId: number,
  format: DocumentFormat | undefined,
) {
  const { number } = await documents.archived(documentId);
  const files = await documents.read(documentId, format);
  return files.map((file) => ({
    name: `${number}.${file.format}`,
    mediaType: mediaTypes[file.format],
    content: file.content,
  }));
}

function parseFormat(text: string): Parsed<DocumentFormat> {
  const format = documentFormats.find((one) => one === text);
  return format === undefined ? unparsable(`must be one of ${documentFormats.join(", ")}`) : parsed(format);
}
