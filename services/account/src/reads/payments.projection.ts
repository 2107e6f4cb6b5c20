import type { Projection } from "@hostledger/read";

import {
  accountsIgnored,
  bankIgnored,
  deliveriesIgnored,
  documentsIgnored,
  holdingsIgnored,
  refundsIgnored,
  unheardIgnored,
  walletsIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";
import { paymentTables } from "./account.tables.ts";

/** Payments as customers see them. */
export const payments: Projection<AccountSubscriptionEvent, typeof paymentTables> = {
  name: "payments",
  version: 4,
  categories: ["payment", "wallet"],
  tables: paymentTables,
  handlers: {
    ...unheardIgnored,
    ...accountsIgnored,
    ...bankIgnored,
    ...holdingsIgnored,
    ...deliveriesIgnored,
    ...documentsIgnored,
    ...refundsIgnored,
    ...walletsIgnored,
    PaymentRequested: (db, { stream, event: { data } }) => {
      db.insert("payments", {
        id: data.paymentId,
        account_id: data.accountId,
        method: data.method,
        amount_cents: Number(data.amountCents),
        state: "pending",
        paid_cents: null,
        redirect_url: null,
        reference: null,
        failure: null,
        created_at: data.requestedAt,
        settled_at: null,
        stream_key: stream.slice("payment-".length),
        stored_method_id: null,
      });
    },
    PaymentOpened: (db, { event: { data } }) => {
      const redirect_url = data.redirectUrl === "" ? null : data.redirectUrl;
      db.update("payments", { id: data.paymentId }, { redirect_url });
    },
    PaymentSettled: (db, { event: { data } }) => {
      db.update(
        "payments",
        { id: data.paymentId },
        {
          state: "settled",
          paid_cents: Number(data.amountCents),
          reference: data.providerReference,
          settled_at: data.settledAt,
          redirect_url: null,
          failure: null,
        },
      );
    },
    PaymentFailed: (db, { event: { data } }) => {
      db.update(
        "payments",
        { id: data.paymentId },
        { state: "failed", redirect_url: null, failure: data.reason },
      );
    },
    PaymentReturned: (db, { event: { data } }) => {
      db.update("payments", { id: data.paymentId }, { state: "returned", failure: data.reason });
    },
    MethodStored: (db, { event: { data } }) => {
      db.update("payments", { id: data.paymentId }, { stored_method_id: data.methodId });
    },
  },
};
