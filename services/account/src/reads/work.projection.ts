import { accountIdOf, type AccountEvent, type PaymentEvent } from "@hostledger/core";
import type { ProjectedEvent, Projection, RowWriter } from "@hostledger/read";
import { beginWork, endWork, wakeWork } from "@hostledger/work/work-table";

import {
  accountsIgnored,
  deliveriesIgnored,
  holdingsIgnored,
  unheardIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";
import { archiveKind, documentTables, paymentKind } from "./account.tables.ts";

type Writer = RowWriter<typeof documentTables>;
type AnyAccountEvent = Pick<ProjectedEvent<AccountEvent>, "revision" | "stream" | "time">;

/**
 * Schedules questions about accounts' VAT ids, which are decided on the account's own stream, the archiving of documents, and the work on
 * payments. It also has the place of each document's event.
 */
export const accountWork: Projection<AccountSubscriptionEvent, typeof documentTables> = {
  name: "work",
  version: 3,
  categories: ["account", "document", "payment"],
  tables: documentTables,
  handlers: {
    ...unheardIgnored,
    ...holdingsIgnored,
    ...deliveriesIgnored,
    ...accountsIgnored,
    ProfileChanged: (db, { stream, time, event: { data } }) => {
      beginWork(db, { ...vatIdOf(stream), accountId: data.accountId }, time);
    },
    VatIdChecked: (db, { stream, time }) => {
      wakeWork(db, vatIdOf(stream), time);
    },
    PersonalDataErased: (db, { stream }) => {
      endWork(db, vatIdOf(stream));
    },
    InvoiceIssued: (db, event) => {
      beginArchiving(db, event.event.data.invoiceId, event);
    },
    CorrectionIssued: (db, event) => {
      beginArchiving(db, event.event.data.correctionId, event);
    },
    ReceiptCancelled: (db, event) => {
      beginArchiving(db, event.event.data.correctionId, event);
    },
    DocumentArchived: (db, { event: { data } }) => {
      endWork(db, { kind: archiveKind, key: String(data.documentId) });
      db.update("document_events", { id: data.documentId }, { archived: true });
    },
    PaymentRequested: (db, { stream, time, event: { data } }) => {
      beginWork(db, { ...paymentOf(stream), accountId: data.accountId }, time);
    },
    PaymentOpened: wakePayment,
    PaymentSettled: wakePayment,
    PaymentFailed: wakePayment,
    PaymentReturned: wakePayment,
  },
};

function wakePayment(
  db: Writer,
  { stream, time }: Pick<ProjectedEvent<PaymentEvent>, "stream" | "time">,
): void {
  wakeWork(db, paymentOf(stream), time);
}

function paymentOf(stream: string) {
  return { kind: paymentKind, key: stream.slice("payment-".length) };
}

function vatIdOf(stream: string) {
  return { kind: "vat-id", key: stream.slice("account-".length) };
}

function beginArchiving(db: Writer, id: number, { stream, revision, time }: AnyAccountEvent): void {
  const accountId = accountIdOf(stream);
  beginWork(db, { kind: archiveKind, key: String(id), accountId }, time);
  db.insert("document_events", { id, account_id: accountId, revision, archived: false });
}
