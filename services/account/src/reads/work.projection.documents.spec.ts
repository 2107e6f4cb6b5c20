import type { ExpectedRows, GivenEvent } from "@hostledger/read/testing";
import { projectionSpec } from "@hostledger/read/testing";
import { describe, test } from "vitest";

import { examples, receipt, stored } from "./account-subscription.fixture.ts";
import type { AccountSubscriptionEvent } from "./account.subscription.ts";
import type { documentTables } from "./account.tables.ts";
import { accountWork } from "./work.projection.ts";

type Rows = ExpectedRows<typeof documentTables>;

const time = "2026-03-01T10:00:00.000000Z";
const at = (event: AccountSubscriptionEvent): GivenEvent<AccountSubscriptionEvent> => ({
  ...stored(event),
  time,
});
const waiting = (documentId: number): NonNullable<Rows["work"]>[number] => ({
  kind: "archive",
  key: String(documentId),
  account_id: 7,
  due_at: time,
  awaits_funds: 0,
});
const issued = (id: number, archived = 0): NonNullable<Rows["document_events"]>[number] => ({
  id,
  account_id: 7,
  revision: 0,
  archived,
});
const { InvoiceIssued, CorrectionIssued, ReceiptCancelled, DocumentArchived, ...events } = examples;
const archived = {
  ...DocumentArchived,
  data: { ...DocumentArchived.data, documentId: InvoiceIssued.data.invoiceId },
};

describe("the documents of the archive", () => {
  test.each([
    ["an invoice", InvoiceIssued, InvoiceIssued.data.invoiceId],
    ["a receipt", receipt, receipt.data.invoiceId],
    ["a correction", CorrectionIssued, CorrectionIssued.data.correctionId],
    ["a cancellation", ReceiptCancelled, ReceiptCancelled.data.correctionId],
  ])("%s waits when it is issued", (_what, event, documentId) => {
    projectionSpec(accountWork)
      .when(at(event))
      .then({ work: [waiting(documentId)], document_events: [issued(documentId)] });
  });

  test("waits no more when it is archived", () => {
    projectionSpec(accountWork)
      .given(at(InvoiceIssued), at(CorrectionIssued))
      .when(at(archived))
      .then({
        work: [waiting(CorrectionIssued.data.correctionId)],
        document_events: [
          issued(InvoiceIssued.data.invoiceId, 1),
          { ...issued(CorrectionIssued.data.correctionId), revision: 1 },
        ],
      });
  });

  // Events that begin another kind of work.
  const beginning: readonly string[] = [
    "ProfileChanged",
    "PaymentRequested",
    "BalancePaidOut",
    "PayoutReturned",
    "EntryMatched",
    "EntryReassigned",
    "MethodStored",
    "MethodWithdrawn",
    "AutoTopUpSet",
    "AutoTopUpOrdered",
  ];
  test.each(Object.values(events).filter(({ type }) => !beginning.includes(type)))(
    "is not changed by $type",
    (event) => {
      projectionSpec(accountWork)
        .given(at(InvoiceIssued))
        .when(at(event))
        .then({
          work: [waiting(InvoiceIssued.data.invoiceId)],
          document_events: [issued(InvoiceIssued.data.invoiceId)],
        });
    },
  );
});
