import type { admin } from "@hostledger/protocol";
import type { Command } from "commander";
import { parseId } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, listing } from "../output/reply.ts";
import { readBounces } from "../staff/bounce-report.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin notice …`: what customers were told by e-mail and webhook, and what waits. */
export function addNoticeCommands(group: Command, context: CommandContext): void {
  const notice = group.command("notice").description("notices to customers, by e-mail and webhook");
  addList(notice, context);
  addResend(notice, context);
  addBounced(notice, context);
  addResume(notice, context);
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

function addBounced(notice: Command, context: CommandContext): void {
  notice
    .command("bounced")
    .description("record the mail that came back: its report (RFC 3464) comes on standard input")
    .action(async (_options: object, command: Command) => {
      const bounces = await readBounces(context.io.input());
      await answerFromStaff(context, command, async ({ support }) => {
        const recorded: BounceDocument[] = [];
        for (const { noticeId, recipient, status } of bounces) {
          const { accountId, deliveryId, stopped } = await support.recordMailBounce({
            noticeId,
            recipient,
            status,
          });
          const ids = { account_id: jsonInteger(accountId), delivery_id: jsonInteger(deliveryId) };
          recorded.push({ ...ids, status, stopped });
        }
        return { document: recorded, text: recorded.map(sentenceOf).join("") || "Nothing has failed yet.\n" };
      });
    });
}

type BounceDocument = Readonly<Record<"account_id" | "delivery_id", number>> & {
  /** Enhanced status code (RFC 3463). */
  readonly status: string;
  /** The address is not written to any more. */
  readonly stopped: boolean;
};

function sentenceOf({ account_id: account, delivery_id: id, status, stopped }: BounceDocument): string {
  const what = stopped ? "is not written to at that address any more" : "is written to as before";
  return `Delivery ${String(id)} came back (${status}); account ${String(account)} ${what}.\n`;
}

function addResume(notice: Command, context: CommandContext): void {
  notice
    .command("resume")
    .description("write to an account again at the address from which mail came back")
    .argument("<account>", "account id", parseId)
    .action(async (accountId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ support }) => {
        const { repeated } = await support.resumeMail({ accountId });
        return changed(repeated, {
          document: { account_id: jsonInteger(accountId) },
          text: `Account ${String(accountId)} is written to.\n`,
        });
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
