import { ignoring, type Projection } from "@hostledger/projections";

import { accountIdOf, auditLogEvents, type AuditLogEvent } from "./audit.subscription.ts";
import { documentTables } from "./audit.tables.ts";

/** Whose is a document, and which fact of the account's stream is it? By its number or its id. */
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
