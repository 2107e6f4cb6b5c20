import { ignoring, type Projection } from "@hostledger/read";

import { accountIdOf, auditLogEvents, type AuditLogEvent } from "./audit.subscription.ts";
import { documentTables } from "./audit.tables.ts";

/** Finds the account and event of a document by its number or id. */
export const auditedDocuments: Projection<AuditLogEvent, typeof documentTables> = {
  name: "audited_documents",
  version: 2,
  categories: ["account"],
  tables: documentTables,
  handlers: {
    ...ignoring(auditLogEvents),
    InvoiceIssued: (db, { event: { data }, stream, revision }) => {
      db.insert("audited_documents", {
        id: data.invoiceId,
        number: data.number,
        account_id: accountIdOf(stream),
        revision: Number(revision),
      });
    },
    ReceiptCancelled: (db, { event: { data }, stream, revision }) => {
      db.insert("audited_documents", {
        id: data.correctionId,
        number: data.number,
        account_id: accountIdOf(stream),
        revision: Number(revision),
      });
    },
    CorrectionIssued: (db, { event: { data }, stream, revision }) => {
      db.insert("audited_documents", {
        id: data.correctionId,
        number: data.number,
        account_id: accountIdOf(stream),
        revision: Number(revision),
      });
    },
  },
};
