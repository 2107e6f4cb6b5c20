import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseAmount, parseId, parseText } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { fields } from "../output/table.ts";
import { argument, option, page, required } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";

const { listCharges, showCharge, refundCharge } = admin.AccountAdminService.method;

const chargeOrInvoice = argument(
  "<charge-or-invoice>",
  "id of the charge, or id or number of its invoice",
  parseText,
);

const charges = viewOf(
  admin.AccountChargeSchema,
  {
    charge: "chargeId",
    account: "accountId",
    id: "invoiceId",
    invoice: "invoiceNumber",
    action: "action",
    gross: "grossCents",
    refunded: "refundedCents",
    charged: "chargedAt",
  },
  chargeDocument,
);

const corrections = viewOf(
  admin.StaffInvoiceSchema,
  {
    correction: ({ invoice }) => invoice?.number,
    gross: { right: ({ invoice }) => invoice && formatEuros(invoice.grossCents) },
    issued: ({ invoice }) => invoice?.createdAt,
    reason: "reason",
  },
  ({ invoice, reason = null }) => ({
    correction_id: invoice === undefined ? null : jsonInteger(invoice.id),
    number: invoice?.number ?? null,
    gross: invoice === undefined ? null : formatEuros(invoice.grossCents),
    reason,
    created_at: invoice?.createdAt ?? null,
  }),
);

function chargeDocument(charge: admin.AccountCharge) {
  return {
    charge_id: charge.chargeId,
    account_id: jsonInteger(charge.accountId),
    invoice_id: jsonInteger(charge.invoiceId),
    invoice_number: charge.invoiceNumber,
    action: charge.action,
    gross: formatEuros(charge.grossCents),
    refunded: formatEuros(charge.refundedCents),
    left_to_refund: formatEuros(charge.grossCents - charge.refundedCents),
    charged_at: charge.chargedAt,
  };
}

export const addChargeCommands = noun("charge", "what was charged", [
  call(["list", "list charges and their refunds, by invoice id"], listCharges, {
    inputs: { accountId: option("--account <id>", "only of this account", parseId), page },
    answer: (list) => charges.list(list.charges),
  }),
  call(["show", "show a charge and the corrections that refunded it"], showCharge, {
    inputs: { chargeOrInvoice },
    answer({ charge, corrections: made }) {
      if (charge === undefined) throw new Error("the instance answered without a charge");
      const [row, returned] = [chargeDocument(charge), corrections.list(made)];
      return {
        document: { ...row, corrections: returned.document },
        text: `${fields(row)}\n${returned.text}`,
      };
    },
  }),
  call(
    [
      "refund",
      "refund all or part of a charge, with a credit note; the same amount and reason refund only once",
    ],
    refundCharge,
    {
      inputs: {
        chargeOrInvoice,
        amountCents: option(
          "--amount <euros>",
          "gross amount, for example 10.00; default: everything not yet refunded",
          parseAmount,
        ),
        reason: required(
          "--reason <text>",
          "reason, 1 to 500 characters; printed on the credit note",
          parseText,
        ),
      },
      answer(refunded) {
        const { accountId, correctionId, repeated } = refunded;
        const [amount, balance] = [formatEuros(refunded.amountCents), formatEuros(refunded.balanceCents)];
        const correction = `with correction ${String(correctionId)}`;
        const done = repeated
          ? `Nothing was done: ${amount} EUR went back before for this reason, ${correction}.`
          : `${amount} EUR went back ${correction}.`;
        return {
          document: {
            account_id: jsonInteger(accountId),
            correction_id: jsonInteger(correctionId),
            amount,
            balance,
            repeated,
          },
          text: `${done} The balance of account ${String(accountId)} is ${balance} EUR.\n`,
        };
      },
    },
  ),
]);
