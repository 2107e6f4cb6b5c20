import type { ServiceImpl } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";

import { refuseUnlessOwner, theirs } from "./ownership.ts";

export type PaymentHandlers = ServiceImpl<typeof account.PaymentService>;

/** Payments: each account has one, with its number. */
export function fakePaymentHandlers(): PaymentHandlers {
  const topupOf = (topupId: bigint) => ({
    topupId,
    method: "card",
    amountCents: 5_000n,
    state: "pending",
    redirectUrl: "https://pay.example/c/1",
    bank: {
      iban: "DE89370400440532013000",
      bic: "",
      name: "Hosting GmbH",
      reference: "RF75A7P12",
      epcQr: "BCD\n002\n1\nSCT\n\nHosting GmbH\nDE89370400440532013000\nEUR50.00\n\nRF75A7P12",
    },
    createdAt: "2026-11-21T01:30:00.000123Z",
  });
  const methodOf = (methodId: bigint) => ({
    methodId,
    kind: "card",
    label: "Visa …4242",
    createdAt: "2026-11-21T01:30:00.000123Z",
  });
  const autoTopUpOf = (methodId: bigint) => ({
    terms: { thresholdCents: 1_000n, amountCents: 5_000n, methodId },
  });
  return {
    requestTopUp: (_request, context) => ({ topup: topupOf(theirs(context)) }),
    getTopUp({ topupId }, context) {
      refuseUnlessOwner(context, topupId, "payment");
      return { topup: topupOf(topupId) };
    },
    listTopUps: (_request, context) => ({ topups: [topupOf(theirs(context))] }),
    getPaymentRequest({ topupId }, context) {
      refuseUnlessOwner(context, topupId, "payment");
      const content = Buffer.from("%PDF-1.7 a payment request");
      return {
        file: { name: `payment-request-${String(topupId)}.pdf`, mediaType: "application/pdf", content },
      };
    },
    listMethods: (_request, context) => ({ methods: [methodOf(theirs(context))] }),
    withdrawMethod({ methodId }, context) {
      refuseUnlessOwner(context, methodId, "payment method");
      return {};
    },
    getAutoTopUp: (_request, context) => ({ autoTopup: autoTopUpOf(theirs(context)) }),
    getAutoTopUpRevision: () => ({ revision: 3n }),
    setAutoTopUp: (_request, context) => ({ autoTopup: autoTopUpOf(theirs(context)) }),
  };
}
