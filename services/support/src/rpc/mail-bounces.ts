import type { ServiceImpl } from "@connectrpc/connect";
import { noticeChoiceAggregate, parsed, unparsable, type Parsed } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { noSuch, validated, type WithContextValues } from "@hostledger/rpc";
import { staffCommand } from "@hostledger/work";

import type { SupportDependencies } from "../dependencies.ts";
import { channelOf } from "../notices/receiver.ts";
import { findCustomer } from "./tickets.ts";

type Handlers = Pick<ServiceImpl<typeof admin.SupportAdminService>, "recordMailBounce" | "resumeMail">;

/** Status codes about the address, not about the mail, system or policy: RFC 3463 §3.1 (0), §3.2, §3.3, §3.5. */
const ofAddresses = /^5\.(?:[0124])\.\d{1,3}$/u;

/** The mail exceeds the mailbox's limit (RFC 3463 §3.3); smaller mails may arrive. */
const tooLarge = "5.2.3";

/** Creates the handler of delivery reports for customers' mail (RFC 3464). */
export function mailBounceHandlers(dependencies: SupportDependencies): Handlers {
  const { clock, webhooks } = dependencies;
  const { deliveries, notices } = webhooks;

  async function stops(
    { accountId, email }: { readonly accountId: number; readonly email: string },
    { noticeId, status }: Pick<admin.RecordMailBounceRequest, "noticeId" | "status">,
    context: WithContextValues,
  ): Promise<boolean> {
    if (!ofAddresses.test(status) || status === tooLarge) return false;
    const mailbox = await notices.mailboxOf(accountId);
    // Reports about an earlier address are ignored.
    if (mailbox?.email.toLowerCase() !== email.toLowerCase()) return false;
    const data = { accountId, noticeId, email: mailbox.email, status, at: clock.now() };
    await staffCommand(dependencies, context, {
      aggregate: noticeChoiceAggregate,
      id: accountId,
      command: { type: "RecordMailBounce", data },
      commandId: `bounce/${noticeId}`,
    });
    return true;
  }

  return {
    async recordMailBounce({ noticeId, recipient, status: given }, context) {
      const { status } = validated({ status: parseStatus(given) });
      const sent = await deliveries.ofNotice(noticeId);
      const delivery = sent.find(({ target }) => channelOf(target) === "mail");
      if (delivery === undefined) throw noSuch("delivery");
      await deliveries.cameBack(delivery.id, `it came back (${status})`);
      const { account_id: accountId } = delivery;
      const stopped = await stops({ accountId, email: recipient }, { noticeId, status }, context);
      return { accountId: BigInt(accountId), deliveryId: BigInt(delivery.id), stopped };
    },

    async resumeMail({ accountId }, context) {
      const customerId = await findCustomer(dependencies, accountId);
      const { repeated } = await staffCommand(dependencies, context, {
        aggregate: noticeChoiceAggregate,
        id: customerId,
        command: { type: "ResumeMail", data: { accountId: customerId, at: clock.now() } },
      });
      return { repeated };
    },
  };
}

function parseStatus(text: string): Parsed<string> {
  return /^[45]\.\d{1,3}\.\d{1,3}$/u.test(text)
    ? parsed(text)
    : unparsable("must be an enhanced status code of a failure (RFC 3463), such as 5.1.1");
}
