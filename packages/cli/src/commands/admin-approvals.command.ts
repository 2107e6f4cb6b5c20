import { formatEuros } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import { parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin approvals …`: money above the amount that one person may move. */
export function addApprovalsCommands(group: Command, context: CommandContext): void {
  const approvals = group.command("approvals").description("money that waits for a second person");
  addList(approvals, context);
  addApprove(approvals, context);
}

function addList(approvals: Command, context: CommandContext): void {
  approvals
    .command("list")
    .description("list what waits for a second person, oldest first")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const list = await accounts.listApprovals({});
        const rows = list.approvals.map((one) => ({
          approval_id: jsonInteger(one.approvalId),
          account_id: jsonInteger(one.accountId),
          kind: one.kind,
          amount: formatEuros(one.amountCents),
          reference: one.reference,
          reason: one.reason,
          debt_allowed: one.debtAllowed,
          requested_by: one.requestedBy,
          requested_at: one.requestedAt,
          expires_at: one.expiresAt,
        }));
        return listing(rows, [
          { heading: "id", cell: (row) => row.approval_id, align: "right" },
          { heading: "account", cell: (row) => row.account_id, align: "right" },
          { heading: "kind", cell: (row) => row.kind },
          { heading: "amount", cell: (row) => row.amount, align: "right" },
          { heading: "reference", cell: (row) => row.reference },
          { heading: "reason", cell: (row) => row.reason },
          { heading: "debt allowed", cell: (row) => row.debt_allowed },
          { heading: "requested by", cell: (row) => row.requested_by },
          { heading: "expires", cell: (row) => row.expires_at },
        ]);
      });
    });
}

function addApprove(approvals: Command, context: CommandContext): void {
  approvals
    .command("approve")
    .description("approve what another person asked for, and do it")
    .argument("<id>", "id of the request, as listed", parseId)
    .action(async (approvalId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const approved = await accounts.approveCredit({ approvalId });
        const balance = formatEuros(approved.balanceCents);
        return {
          document: {
            approval_id: jsonInteger(approvalId),
            account_id: jsonInteger(approved.accountId),
            ...(approved.invoiceId === 0n ? {} : { invoice_id: jsonInteger(approved.invoiceId) }),
            balance,
            repeated: approved.repeated,
          },
          text: `${approvedSentence(approved)} The balance of account ${String(approved.accountId)} is ${balance} EUR.\n`,
        };
      });
    });
}

function approvedSentence({ invoiceId, repeated }: admin.ApproveCreditResponse): string {
  if (repeated) return "Nothing was done: it was booked before.";
  return invoiceId === 0n ? "Approved and done." : `Approved and done, with receipt ${String(invoiceId)}.`;
}
