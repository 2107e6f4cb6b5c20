import {
  accountIdOf,
  bankAsProvider,
  entryOfTopUp,
  paymentOfRefund,
  type AccountEvent,
  type PaymentEvent,
} from "@hostledger/core";
import type { ProjectedEvent, Projection, RowWriter } from "@hostledger/read";
import { beginWork, endWork, wakeWork } from "@hostledger/work/work-table";

import {
  accountsIgnored,
  bankIgnored,
  deliveriesIgnored,
  holdingsIgnored,
  unheardIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";
import {
  archiveKind,
  autoTopUpKind,
  bankCreditKind,
  debtKind,
  documentTables,
  methodRemovalKind,
  paymentKind,
  payoutKind,
  transferKind,
} from "./account.tables.ts";

type Writer = RowWriter<typeof documentTables>;
type AnyAccountEvent = Pick<ProjectedEvent<AccountEvent>, "revision" | "stream" | "time">;

/**
 * Schedules questions about accounts' VAT ids, which are decided on the account's own stream, the archiving of documents, the work on
 * payments and payouts, automatic top-ups, the removal of stored methods, the crediting of bank entries, and reminders of debts. It also has the
 * place of each document's event.
 */
export const accountWork: Projection<AccountSubscriptionEvent, typeof documentTables> = {
  name: "work",
  version: 7,
  categories: ["account", "bank", "document", "payment", "wallet"],
  tables: documentTables,
  handlers: {
    ...unheardIgnored,
    ...holdingsIgnored,
    ...deliveriesIgnored,
    ...accountsIgnored,
    ...bankIgnored,
    EntryMatched: (db, { stream, time, event: { data } }) => {
      const { entryId, accountId } = data;
      beginWork(db, { ...bankCreditOf(stream.slice("bank-".length), entryId), accountId }, time);
    },
    EntryReassigned: (db, { stream, time, event: { data } }) => {
      const { entryId, toAccountId: accountId } = data;
      beginWork(db, { ...bankCreditOf(stream.slice("bank-".length), entryId), accountId }, time);
    },
    BalanceCharged: wakeAutoTopUp,
    BalanceCredited: (db, { stream, time, event: { data } }) => {
      wakeAutoTopUp(db, { stream, time });
      const paid = entryOfTopUp(data.reference);
      // Another process may have moved the payment before it was credited.
      if (paid !== undefined) wakeWork(db, bankCreditOf(paid.iban, paid.entryId), time);
    },
    BalanceAdjusted: (db, { stream, time, event: { data } }) => {
      wakeAutoTopUp(db, { stream, time });
      // An account that is already in debt keeps its schedule of reminders.
      if (data.balanceAfterCents.startsWith("-"))
        beginWork(db, { ...debtOf(stream), accountId: accountIdOf(stream) }, time);
    },
    DebtReminded: (db, { stream, time }) => {
      wakeWork(db, debtOf(stream), time);
    },
    BalancePaidOut: (db, { time, event: { data } }) => {
      const { accountId, to, reference } = data;
      const work = to === "bank" ? payoutOf(accountId, reference) : refundedBy(reference);
      // The work on a payment may have ended before.
      if (work !== undefined) beginWork(db, { ...work, accountId }, time);
    },
    PaidOutReturned: (db, { time, event: { data } }) => {
      const work = data.to === "bank" ? undefined : refundedBy(data.reference);
      if (work !== undefined) wakeWork(db, work, time);
    },
    PayoutReturned: (db, { time, event: { data } }) => {
      const { accountId, endToEndId } = data;
      beginWork(db, { ...payoutOf(accountId, endToEndId), accountId }, time);
    },
    ProfileChanged: (db, { stream, time, event: { data } }) => {
      beginWork(db, { ...vatIdOf(stream), accountId: data.accountId }, time);
    },
    VatIdChecked: (db, { stream, time }) => {
      wakeWork(db, vatIdOf(stream), time);
    },
    PersonalDataErased: (db, { stream, time }) => {
      endWork(db, vatIdOf(stream));
      endWork(db, debtOf(stream));
      // Withdraws the stored methods.
      wakeAutoTopUp(db, { stream, time });
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
      const kind = data.provider === bankAsProvider ? transferKind : paymentKind;
      beginWork(db, { ...paymentOf(stream), kind, accountId: data.accountId }, time);
    },
    PaymentOpened: wakePayment,
    PaymentSettled: wakePayment,
    PaymentFailed: (db, { stream, time, event }) => {
      wakePayment(db, { stream, time });
      wakeWork(db, autoTopUpOf(event.data.accountId), time);
    },
    PaymentReturned: wakePayment,
    RefundOrdered: wakePayment,
    RefundSettled: wakePayment,
    RefundRefused: wakePayment,
    // An account may have been erased before its method was stored.
    MethodStored: beginAutoTopUp,
    AutoTopUpSet: beginAutoTopUp,
    AutoTopUpOrdered: beginAutoTopUp,
    AutoTopUpStopped: "ignored",
    MethodWithdrawn: (db, { time, event: { data } }) => {
      beginWork(db, methodRemovalOf(data), time);
    },
    MethodRemoved: (db, { event: { data } }) => {
      endWork(db, methodRemovalOf(data));
    },
  },
};

function wakeAutoTopUp(db: Writer, { stream, time }: Pick<AnyAccountEvent, "stream" | "time">): void {
  wakeWork(db, autoTopUpOf(accountIdOf(stream)), time);
}

function beginAutoTopUp(
  db: Writer,
  {
    time,
    event,
  }: {
    readonly time: string;
    readonly event: { readonly data: { readonly accountId: number } };
  },
): void {
  beginWork(db, autoTopUpOf(event.data.accountId), time);
}

function autoTopUpOf(accountId: number) {
  return { kind: autoTopUpKind, key: String(accountId), accountId };
}

function methodRemovalOf({ accountId, methodId }: { readonly accountId: number; readonly methodId: number }) {
  return { kind: methodRemovalKind, key: `${String(accountId)}/${String(methodId)}`, accountId };
}

function wakePayment(
  db: Writer,
  { stream, time }: Pick<ProjectedEvent<PaymentEvent>, "stream" | "time">,
): void {
  wakeWork(db, paymentOf(stream), time);
}

function paymentOf(stream: string) {
  return { kind: paymentKind, key: stream.slice("payment-".length) };
}

/** Returns the work on the payment of a refund. */
function refundedBy(refundId: string) {
  const payment = paymentOfRefund(refundId);
  return payment === undefined ? undefined : paymentOf(payment);
}

function payoutOf(accountId: number, reference: string) {
  return { kind: payoutKind, key: `${String(accountId)}/${reference}` };
}

function vatIdOf(stream: string) {
  return { kind: "vat-id", key: stream.slice("account-".length) };
}

function debtOf(stream: string) {
  return { kind: debtKind, key: stream.slice("account-".length) };
}

function bankCreditOf(iban: string, entryId: number) {
  return { kind: bankCreditKind, key: `${iban}/${String(entryId)}` };
}

function beginArchiving(db: Writer, id: number, { stream, revision, time }: AnyAccountEvent): void {
  const accountId = accountIdOf(stream);
  beginWork(db, { kind: archiveKind, key: String(id), accountId }, time);
  db.insert("document_events", { id, account_id: accountId, revision, archived: false });
}
