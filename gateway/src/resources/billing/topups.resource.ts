import { account as messages } from "@hostledger/protocol";
import { z } from "zod";

import { listed, listQuery, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  euroAmount,
  id,
  inputExamples,
  line,
  otherwise,
  resourceId,
  shownText,
  succeeded,
  timestamp,
} from "../../http/values.schema.ts";
import { euros, present, view } from "../../http/view.codec.ts";

const states = ["pending", "settled", "failed", "returned"] as const;

/** Limits of a payment in euros (`topUpLimits` of core, which the service applies too). */
const least = 1;
const most = 10_000;
const amountRule = `must be a number of euros from ${least.toFixed(2)} to ${most.toFixed(2)}, with at most two decimals`;
const maximumUrl = 2_048;

/** Cents of an amount in euros; undefined with more than two decimals. */
function centsOf(amount: number): number | undefined {
  const cents = Math.round(amount * 100);
  return cents / 100 === amount ? cents : undefined;
}

const createTopUpBody = z.object({
  amount: z
    .number({ error: otherwise(amountRule) })
    .min(least, { error: amountRule })
    .max(most, { error: amountRule })
    .refine((amount) => centsOf(amount) !== undefined, { error: amountRule })
    .meta({ description: "Euros to pay, with at most two decimals.", examples: [50] }),
  method: line({ minimum: 1, maximum: 50 }).meta({
    description: "How to pay: `card`, where the provider takes payments.",
    ...inputExamples("card"),
  }),
  return_url: line({ maximum: maximumUrl })
    .optional()
    .meta({
      description:
        "Page to which the customer returns after paying. Only pages of the provider's own sites are accepted.",
      ...inputExamples("https://hosting.example/billing"),
    }),
});

const topUp = z
  .object({
    id,
    amount: euroAmount.meta({ description: "Euros that were asked for.", examples: [50] }),
    method: shownText("card"),
    state: z.enum(states).meta({
      description:
        "`pending` until the money came; `settled` when the balance is credited; `failed` without money; `returned` if the payment was taken back, for example by a chargeback.",
      examples: ["pending"],
    }),
    paid: euroAmount.nullable().meta({
      description: "Euros that came and were credited, which may differ from `amount`; null before.",
      examples: [null],
    }),
    redirect_url: z
      .string()
      .nullable()
      .meta({
        description: "Page on which to pay; null if there is none, or no longer.",
        examples: ["https://pay.example/c/1"],
      }),
    reference: z
      .string()
      .nullable()
      .meta({ description: "Reference of the payment, which its receipt names.", examples: [null] }),
    failure: z
      .string()
      .nullable()
      .meta({ description: "Why nothing came, or why it was taken back.", examples: [null] }),
    created_at: timestamp,
  })
  .meta({ id: "TopUp", description: "A payment into the balance." });

const topUpView = view(messages.TopUpSchema, topUp, {
  id: ({ topupId }) => Number(topupId),
  amount: ({ amountCents }) => euros(amountCents),
  state: ({ state }) => topUp.shape.state.parse(state),
  paid: ({ paidCents }) => (paidCents === undefined ? null : euros(paidCents)),
});

/** Operations on payments into the balance (contract, third part). */
export const topUpOperations = [
  operation({
    id: "createTopUp",
    scopes: ["payments"],
    route: "POST /billing/topups",
    summary: "Begin a payment into the balance",
    description:
      "Send the customer to `redirect_url`. The balance is credited when the money came, whether the customer returns or not.",
    request: { body: createTopUpBody },
    responses: { 201: succeeded({ topup: topUp }) },
    message: "The payment was begun",
    refusals: ["payment-refused", "payment-unavailable", "quota-exceeded"],
    async body({ body }, { payments, call }) {
      const { amount, method, return_url: returnUrl = "" } = body;
      const asked = { amountCents: BigInt(centsOf(amount) ?? 0), method, returnUrl };
      const { topup } = await payments.requestTopUp(asked, call);
      return { topup: topUpView(present(topup, "RequestTopUpResponse.topup")) };
    },
  }),
  operation({
    id: "listTopUps",
    scopes: ["billing", "payments", "read"],
    route: "GET /billing/topups",
    summary: "List the account's payments, oldest first",
    request: { query: listQuery.extend({ status: statusText(states) }) },
    responses: { 200: z.array(topUp) },
    refusals: [],
    answer: ({ query }, { payments, call }) =>
      listed("/billing/topups", query, async (page) =>
        (await payments.listTopUps({ page }, call)).topups.map(topUpView),
      ),
  }),
  operation({
    id: "getTopUp",
    scopes: ["billing", "payments", "read"],
    route: "GET /billing/topups/{topup}",
    summary: "Read a payment",
    request: { params: z.object({ topup: resourceId.meta({ description: "Payment id." }) }) },
    responses: { 200: topUp },
    refusals: [],
    body: async ({ params }, { payments, call }) =>
      topUpView(
        present((await payments.getTopUp({ topupId: params.topup }, call)).topup, "GetTopUpResponse.topup"),
      ),
  }),
];
