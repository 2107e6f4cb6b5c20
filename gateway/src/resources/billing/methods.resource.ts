import { account as messages } from "@hostledger/protocol";
import { z } from "zod";

import { centsOf, euroInput } from "../../http/euro-input.ts";
import { listed, listQuery } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  done,
  euroAmount,
  flag,
  id,
  idInBody,
  inputExamples,
  resourceId,
  shownText,
  timestamp,
} from "../../http/values.schema.ts";
import { euros, present, view } from "../../http/view.codec.ts";

const paymentMethod = z
  .object({
    id,
    kind: shownText("card"),
    label: shownText("Visa …4242", "Description for the customer."),
    created_at: timestamp,
  })
  .meta({ id: "PaymentMethod", description: "A payment method that the payment provider stores." });

const methodView = view(messages.PaymentMethodSchema, paymentMethod, {
  id: ({ methodId }) => Number(methodId),
});

/** Limits in euros (`topUpLimits` of core, which the service applies too). */
const least = 1;
const most = 10_000;

const autoTopUpBody = z.object({
  enabled: flag.meta({ description: "False turns automatic top-ups off.", examples: [true] }),
  threshold: euroInput(0, most)
    .nullish()
    .meta({
      description: "Euros: the balance is topped up when it is below. Default: 0.",
      ...inputExamples(10),
    }),
  amount: euroInput(least, most)
    .nullish()
    .meta({ description: "Euros of each top-up; needed if enabled.", ...inputExamples(50) }),
  method: idInBody
    .nullish()
    .meta({ description: "Id of the stored method that pays; needed if enabled.", ...inputExamples(3) }),
});

const stops = ["method_withdrawn", "mandate_revoked"] as const;

const autoTopUp = z
  .object({
    enabled: z.boolean().meta({ examples: [true] }),
    threshold: euroAmount.nullable().meta({
      description: "Euros: the balance is topped up when it is below; null if off.",
      examples: [10],
    }),
    amount: euroAmount.nullable().meta({ description: "Euros of each top-up; null if off.", examples: [50] }),
    method: id.nullable().meta({ description: "Id of the stored method; null if off.", examples: [3] }),
    stopped: z
      .enum(stops)
      .nullable()
      .meta({
        description:
          "Why automatic top-ups stopped without the customer turning them off: the stored method was deleted, or it cannot pay any more. Otherwise null.",
        examples: [null],
      }),
    last_topup: id
      .nullable()
      .meta({ description: "Id of the latest automatic payment; null before the first.", examples: [null] }),
    last_ordered_at: timestamp
      .nullable()
      .meta({ description: "Time of the latest automatic payment.", examples: [null] }),
  })
  .meta({ id: "AutoTopUp", description: "The account's automatic top-up." });

const stopOf = { "method-withdrawn": "method_withdrawn", "mandate-revoked": "mandate_revoked" } as const;

function autoTopUpView(shown: messages.AutoTopUp | undefined): z.output<typeof autoTopUp> {
  const { terms, stoppedBecause, lastTopupId, lastOrderedAt } = present(shown, "AutoTopUp");
  const stopped = Object.entries(stopOf).find(([because]) => because === stoppedBecause)?.[1] ?? null;
  return {
    enabled: terms !== undefined,
    threshold: terms === undefined ? null : euros(terms.thresholdCents),
    amount: terms === undefined ? null : euros(terms.amountCents),
    method: terms === undefined ? null : Number(terms.methodId),
    stopped,
    last_topup: lastTopupId === undefined ? null : Number(lastTopupId),
    last_ordered_at: lastOrderedAt ?? null,
  };
}

const autoTopUpPath = "/billing/auto-topup";

/** Operations on stored payment methods and automatic top-ups (contract, third part). */
export const methodOperations = [
  operation({
    id: "listPaymentMethods",
    scopes: ["billing", "payments", "read"],
    route: "GET /billing/methods",
    summary: "List the stored payment methods, oldest first",
    description: "`store_method` of `POST /billing/topups` stores a method.",
    request: { query: listQuery },
    responses: { 200: z.array(paymentMethod) },
    refusals: [],
    answer: ({ query }, { payments, call }) =>
      listed("/billing/methods", query, async (page) =>
        (await payments.listMethods({ page }, call)).methods.map(methodView),
      ),
  }),
  operation({
    id: "deletePaymentMethod",
    scopes: ["payments"],
    route: "DELETE /billing/methods/{method}",
    summary: "Withdraw the consent to a stored payment method",
    description:
      "No later payment is ordered on the method, and the payment provider is asked to remove it. An automatic top-up on the method stops.",
    request: { params: z.object({ method: resourceId.meta({ description: "Payment method id." }) }) },
    responses: { 200: done },
    message: "The payment method was deleted",
    refusals: ["quota-exceeded"],
    async body({ params: { method: methodId } }, { payments, call }) {
      await payments.withdrawMethod({ methodId }, call);
    },
  }),
  operation({
    id: "getAutoTopUp",
    scopes: ["billing", "payments", "read"],
    route: `GET ${autoTopUpPath}`,
    summary: "Read the automatic top-up",
    request: {},
    responses: { 200: autoTopUp },
    refusals: [],
    body: async (_request, { payments, call }) =>
      autoTopUpView((await payments.getAutoTopUp({}, call)).autoTopup),
  }),
  operation({
    id: "updateAutoTopUp",
    scopes: ["payments"],
    route: `PUT ${autoTopUpPath}`,
    summary: "Turn automatic top-ups on or off",
    description:
      "When the balance falls below `threshold`, one payment of `amount` is made on the stored `method`, at most one in 24 hours. " +
      "The notice `topup.settled` or `topup.failed` follows.",
    request: { body: autoTopUpBody },
    responses: { 200: autoTopUp },
    refusals: ["quota-exceeded"],
    revisionOf: async (_request, { payments, call }) =>
      (await payments.getAutoTopUpRevision({}, call)).revision,
    async body({ body: { enabled, threshold, amount, method } }, { payments, call }) {
      const terms = {
        thresholdCents: BigInt(centsOf(threshold ?? 0) ?? 0),
        amountCents: BigInt(centsOf(amount ?? 0) ?? 0),
        methodId: method ?? 0n,
      };
      const { autoTopup } = await payments.setAutoTopUp(enabled ? { terms } : {}, call);
      return autoTopUpView(autoTopup);
    },
  }),
];
