import { formatEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseId } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { argument } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";

const { listApprovals, approveCredit } = admin.AccountAdminService.method;

const approvals = viewOf(admin.ApprovalSchema, {
  id: "approvalId",
  account: "accountId",
  kind: "kind",
  amount: "amountCents",
  reference: "reference",
  IBAN: "iban",
  reason: "reason",
  "debt allowed": "debtAllowed",
  "requested by": "requestedBy",
  expires: "expiresAt",
});

export const addApprovalsCommands = noun(
  "approvals",
  "postings, refunds and payouts that wait for a second person's approval",
  [
    call(["list", "list requests that wait for a second person, oldest first"], listApprovals, {
      answer: (list) => approvals.list(list.approvals),
    }),
    call(["approve", "approve another person's request and carry it out"], approveCredit, {
      inputs: { approvalId: argument("<id>", "id of the request, as listed", parseId) },
      answer: (approved, { approvalId = 0n }) => {
        const { accountId, invoiceId, repeated } = approved;
        const balance = formatEuros(approved.balanceCents);
        return {
          document: {
            approval_id: jsonInteger(approvalId),
            account_id: jsonInteger(accountId),
            ...(invoiceId === 0n ? {} : { invoice_id: jsonInteger(invoiceId) }),
            balance,
            repeated,
          },
          text: `${approvedSentence(approved)} The balance of account ${String(accountId)} is ${balance} EUR.\n`,
        };
      },
    }),
  ],
);

function approvedSentence({ invoiceId, repeated }: admin.ApproveCreditResponse): string {
  if (repeated) return "Nothing was done: it was booked before.";
  return invoiceId === 0n ? "Approved and done." : `Approved and done, with receipt ${String(invoiceId)}.`;
}
