import { pdfType } from "@hostledger/audit/documents";
import { account as messages } from "@hostledger/protocol";
import { z } from "zod";

import { centsOf, euroInput } from "../../http/euro-input.ts";
import { listed, listQuery, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  euroAmount,
  flag,
  id,
  inputExamples,
  line,
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
const maximumUrl = 2_048;

const createTopUpBody = z.object({
  amount: euroInput(least, most).meta({
    description: "Euros to pay, with at most two decimals.",
    examples: [50],
  }),
  method: line({ minimum: 1, maximum: 50 }).meta({
    description:
      "How to pay: `card`, where the provider takes payments; `transfer`, where it has named its bank account.",
    ...inputExamples("card"),
  }),
  return_url: line({ maximum: maximumUrl })
    .optional()
    .meta({
      description:
        "Page to which the customer returns after paying. Only pages of the provider's own sites are accepted.",
      ...inputExamples("https://hosting.example/billing"),
    }),
  store_method: flag.optional().meta({
    description:
      "True if the customer agrees that the payment provider stores the method for automatic top-ups. Ask the customer first. Default: false.",
    ...inputExamples(true),
  }),
});

// A schema with a name cannot be null for all generators of clients.
const bankDetails = z.object({
  iban: z.string().meta({ description: "IBAN without spaces.", examples: ["DE89370400440532013000"] }),
  bic: z
    .string()
    .nullable()
    .meta({ description: "BIC of the bank; null if unknown.", examples: ["COBADEFFXXX"] }),
  name: z.string().meta({ description: "Holder of the account.", examples: ["Hosting GmbH"] }),
  reference: z.string().meta({
    description:
      "Creditor reference (ISO 11649) of this top-up. Transfer the money with exactly this reference.",
    examples: ["RF75A7P12"],
  }),
  qr: z.string().meta({
    description:
      "Content of a QR code from which banking apps fill in the transfer (EPC069-12, GiroCode). Draw it with error correction level M, or download the PDF.",
    examples: ["BCD\n002\n1\nSCT\nCOBADEFFXXX\nHosting GmbH\nDE89370400440532013000\nEUR50.00\n\nRF75A7P12"],
  }),
});

const topUp = z
  .object({
    id,
    amount: euroAmount.meta({ description: "Euros that were asked for.", examples: [50] }),
    method: shownText("card"),
    state: z.enum(states).meta({
      description:
        "`pending` until the money came; `settled` when the balance is credited; `failed` without money; `returned` if the payment was taken back, for example by a chargeback. A bank transfer that comes after `failed` settles the payment all the same.",
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
    bank: bankDetails.nullable().meta({
      description: "How to pay by bank transfer; null for other methods, and when no transfer is awaited.",
    }),
  })
  .meta({ id: "TopUp", description: "A payment into the balance." });

const topUpView = view(messages.TopUpSchema, topUp, {
  id: ({ topupId }) => Number(topupId),
  amount: ({ amountCents }) => euros(amountCents),
  state: ({ state }) => topUp.shape.state.parse(state),
  paid: ({ paidCents }) => (paidCents === undefined ? null : euros(paidCents)),
  bank: ({ bank }) => {
    if (bank === undefined) return null;
    const { iban, bic, name, reference, epcQr: qr } = bank;
    return { iban, bic: bic === "" ? null : bic, name, reference, qr };
  },
});

/** Operations on payments into the balance (contract, third part). */
export const topUpOperations = [
  operation({
    id: "createTopUp",
    scopes: ["payments"],
    route: "POST /billing/topups",
    summary: "Begin a payment into the balance",
    description:
      "Send the customer to `redirect_url`, or show `bank` to a customer who pays by bank transfer. The balance is credited when the money came, whether the customer returns or not.",
    request: { body: createTopUpBody },
    responses: { 201: succeeded({ topup: topUp }) },
    message: "The payment was begun",
    refusals: ["payment-refused", "payment-unavailable", "quota-exceeded"],
    async body({ body }, { payments, call }) {
      const { amount, method, return_url: returnUrl = "", store_method: storeMethod = false } = body;
      const asked = { amountCents: BigInt(centsOf(amount) ?? 0), method, returnUrl, storeMethod };
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
  operation({
    id: "getTopUpPdf",
    scopes: ["billing", "payments", "read"],
    route: "GET /billing/topups/{topup}.pdf",
    summary: "Download the payment request of a bank transfer as a PDF",
    description:
      "Shows the bank account, the reference and the QR code while the transfer is awaited; otherwise 404.",
    request: { params: z.object({ topup: resourceId.meta({ description: "Payment id." }) }) },
    responses: {
      200: z
        .string()
        .meta({ format: "binary", description: "The payment request as a PDF.", examples: ["%PDF-1.7 …"] }),
    },
    media: pdfType,
    refusals: [],
    async answer({ params }, { payments, call }) {
      const { file } = await payments.getPaymentRequest({ topupId: params.topup }, call);
      const { name, mediaType: type, content: bytes } = present(file, "GetPaymentRequestResponse.file");
      return { status: 200, file: { type, name, bytes } };
    },
  }),
];
