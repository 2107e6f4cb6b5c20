import type { PaymentEvent, WalletEvent } from "@hostledger/core";

import { amount, type Sentences } from "./sentences.ts";

export const paymentSentences: Sentences<PaymentEvent> = {
  PaymentRequested: ({ paymentId, accountId, provider, method, amountCents }) =>
    `Account ${String(accountId)} asked to pay ${amount(amountCents)} by ${method} through ${provider} (payment ${String(paymentId)}).`,
  PaymentOpened: ({ paymentId }) => `The provider waits for payment ${String(paymentId)}.`,
  PaymentSettled: ({ paymentId, amountCents, feeCents, providerReference, valueDate }) =>
    `Payment ${String(paymentId)} brought ${amount(amountCents)}, less ${amount(feeCents)} for the provider (${providerReference}, value date ${valueDate}).`,
  PaymentFailed: ({ paymentId, because, reason }) =>
    `Payment ${String(paymentId)} brought nothing (${because}): ${reason}`,
  PaymentReturned: ({ paymentId, feeCents, reason, valueDate }) =>
    `Payment ${String(paymentId)} was taken back, for a fee of ${amount(feeCents)} (value date ${valueDate}): ${reason}`,
  RefundOrdered: ({ paymentId, refundId, amountCents, reason }) =>
    `A refund of ${amount(amountCents)} of payment ${String(paymentId)} to its source was ordered as ${refundId}: ${reason}`,
  RefundSettled: ({ refundId, amountCents, providerReference, valueDate }) =>
    `The provider sent ${amount(amountCents)} of refund ${refundId} back (${providerReference}, value date ${valueDate}).`,
  RefundRefused: ({ refundId, amountCents, reason }) =>
    `The ${amount(amountCents)} of refund ${refundId} did not go back: ${reason}`,
};

const stopReasons = {
  "method-withdrawn": "the method was withdrawn",
  "mandate-revoked": "the payment provider says that the method cannot pay any more",
};

export const walletSentences: Sentences<WalletEvent> = {
  MethodStored: ({ accountId, methodId, provider, kind, label, paymentId }) =>
    `${provider} stored the method ${String(methodId)} (${kind}, ${label}) of account ${String(accountId)}, who agreed with payment ${String(paymentId)}.`,
  MethodWithdrawn: ({ accountId, methodId, because }) =>
    because === "asked"
      ? `Account ${String(accountId)} withdrew its consent to the stored method ${String(methodId)}.`
      : `The stored method ${String(methodId)} was withdrawn with the erasure of account ${String(accountId)}.`,
  MethodRemoved: ({ methodId }) => `The payment provider removed the stored method ${String(methodId)}.`,
  AutoTopUpSet: ({ accountId, thresholdCents, amountCents, methodId }) =>
    thresholdCents === null || amountCents === null
      ? `Account ${String(accountId)} turned automatic top-ups off.`
      : `Account ${String(accountId)} turned automatic top-ups on: ${amount(amountCents)} by method ${String(methodId)} when the balance is below ${amount(thresholdCents)}.`,
  AutoTopUpOrdered: ({ paymentId, amountCents, methodId }) =>
    `The balance was low: payment ${String(paymentId)} of ${amount(amountCents)} was ordered on the stored method ${String(methodId)}.`,
  AutoTopUpStopped: ({ accountId, because }) =>
    `Automatic top-ups of account ${String(accountId)} stopped: ${stopReasons[because]}.`,
};
