import { admin, support } from "@hostledger/protocol";

import { parseId } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { documentOf, viewOf } from "../output/message-document.ts";
import { readBounces } from "../staff/bounce-report.ts";
import { argument, type Input } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

const { listNoticeDeliveries, resendNoticeDelivery, resumeMail } = admin.SupportAdminService.method;
const accountId = argument("<account>", "account id", parseId);

const deliveries = viewOf(
  admin.NoticeDeliverySchema,
  {
    delivery: { right: ({ delivery }) => delivery && jsonInteger(delivery.deliveryId) },
    receiver: "receiver",
    event: ({ delivery }) => delivery?.kind,
    status: ({ delivery }) => delivery?.status,
    attempts: { right: ({ delivery }) => delivery?.attempts },
    created: ({ delivery }) => delivery?.createdAt,
    "next attempt": ({ delivery }) => delivery?.nextAttemptAt,
    error: ({ delivery }) => delivery?.error,
  },
  ({ receiver, delivery }) => {
    if (delivery === undefined) throw new Error("The instance answered with a delivery that has no content.");
    const names = { deliveryId: "id", kind: "event" };
    return { receiver, ...documentOf(support.WebhookDeliverySchema, delivery, names) };
  },
);

/** `--after` of a list with at most 1,000 items. */
const after: Input<{ readonly afterId: bigint; readonly limit: number }> = {
  name: "--after",
  add: (command) =>
    void command.option(
      "--after <id>",
      "only notices after the one with this id; a list has at most 1,000",
      parseId,
    ),
  read: (command) => ({ afterId: command.opts<{ after?: bigint }>().after ?? 0n, limit: 1_000 }),
};

export const addNoticeCommands = noun("notice", "notices to customers, by e-mail and webhook", [
  call(
    ["list", "list the notices that an account got in the last 45 days or that still wait, oldest first"],
    listNoticeDeliveries,
    { inputs: { accountId, page: after }, answer: (list) => deliveries.list(list.deliveries) },
  ),
  call(["resend", "send a notice again, even if it was delivered"], resendNoticeDelivery, {
    inputs: { deliveryId: argument("<id>", "delivery id", parseId) },
    document: (_sent, { deliveryId = 0n }) => ({ delivery_id: jsonInteger(deliveryId) }),
    text: (_sent, { deliveryId }) => `Delivery ${String(deliveryId)} is sent again.\n`,
  }),
  custom(
    ["bounced", "record a bounced mail: reads its report (RFC 3464) from standard input"],
    {},
    async (staff, _given, { io }) => {
      const recorded: BounceDocument[] = [];
      for (const bounce of await readBounces(io.input())) {
        const { accountId: account, deliveryId, stopped } = await staff.support.recordMailBounce(bounce);
        const ids = { account_id: jsonInteger(account), delivery_id: jsonInteger(deliveryId) };
        recorded.push({ ...ids, status: bounce.status, stopped });
      }
      return {
        document: recorded,
        text: recorded.map(sentenceOf).join("") || "No delivery has failed yet.\n",
      };
    },
  ),
  call(["resume", "send mail to an account again, at the address that mail bounced from"], resumeMail, {
    inputs: { accountId },
    document: (_resumed, { accountId: account = 0n }) => ({ account_id: jsonInteger(account) }),
    text: (_resumed, { accountId: account }) => `Mail to account ${String(account)} is sent again.\n`,
  }),
]);

type BounceDocument = Readonly<Record<"account_id" | "delivery_id", number>> & {
  /** Enhanced status code (RFC 3463). */
  readonly status: string;
  /** True if mail to the address has stopped. */
  readonly stopped: boolean;
};

function sentenceOf({ account_id: account, delivery_id: id, status, stopped }: BounceDocument): string {
  const what = stopped ? "gets no more mail at that address" : "still gets mail";
  return `Delivery ${String(id)} came back (${status}); account ${String(account)} ${what}.\n`;
}
