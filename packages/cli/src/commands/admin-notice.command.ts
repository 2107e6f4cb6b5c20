import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import { parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin notice …`: what customers were told by e-mail and webhook, and what waits. */
export function addNoticeCommands(group: Command, context: CommandContext): void {
  const notice = group.command("notice").description("notices to customers, by e-mail and webhook");
  addList(notice, context);
  addResend(notice, context);
}

function addList(notice: Command, context: CommandContext): void {
  notice
    .command("list")
    .description("list what was sent to an account in the last 45 days, or waits for it, oldest first")
    .argument("<account>", "account id", parseId)
    .option("--after <id>", "only those behind this one; a list has at most 1,000", parseId)
    .action(async (accountId: bigint, { after }: { after?: bigint }, command: Command) => {
      await answerFromStaff(context, command, async ({ support }) => {
        const page = { afterId: after ?? 0n, limit: 1_000 };
        const { deliveries } = await support.listNoticeDeliveries({ accountId, page });
        return listing(deliveries.map(deliveryDocument), [
          { heading: "delivery", cell: (row) => row.id, align: "right" },
          { heading: "receiver", cell: (row) => row.receiver },
          { heading: "event", cell: (row) => row.event },
          { heading: "status", cell: (row) => row.status },
          { heading: "attempts", cell: (row) => row.attempts, align: "right" },
          { heading: "created", cell: (row) => row.created_at },
          { heading: "next attempt", cell: (row) => row.next_attempt_at },
          { heading: "error", cell: (row) => row.error },
        ]);
      });
    });
}

function addResend(notice: Command, context: CommandContext): void {
  notice
    .command("resend")
    .description("send a notice once more, whatever became of it")
    .argument("<id>", "delivery id", parseId)
    .action(async (deliveryId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ support }) => {
        await support.resendNoticeDelivery({ deliveryId });
        return {
          document: { delivery_id: jsonInteger(deliveryId) },
          text: `Delivery ${String(deliveryId)} is sent again.\n`,
        };
      });
    });
}

function deliveryDocument({ receiver, delivery }: admin.NoticeDelivery) {
  if (delivery === undefined) throw new Error("The instance answered with a delivery that has no content.");
  return {
    id: jsonInteger(delivery.deliveryId),
    receiver,
    notice_id: delivery.noticeId,
    event: delivery.kind,
    status: delivery.status,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus ?? null,
    error: delivery.error ?? null,
    created_at: delivery.createdAt,
    last_attempt_at: delivery.lastAttemptAt ?? null,
    next_attempt_at: delivery.nextAttemptAt ?? null,
  };
}
