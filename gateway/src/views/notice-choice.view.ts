import { support as messages } from "@hostledger/protocol";
import type { z } from "zod";

import * as schemas from "../schemas/notice-choice.schema.ts";
import { present, view } from "./view.codec.ts";

export function noticeChoicesView({
  choices,
}: Pick<messages.GetNoticeChoicesResponse, "choices">): z.output<typeof schemas.noticeChoices> {
  const { balanceLowBelow, mailKinds, mailStopped, changedAt } = present(
    choices,
    "GetNoticeChoicesResponse.choices",
  );
  return {
    balance_low_below: balanceLowBelow ?? null,
    mail_kinds: mailKinds?.kinds ?? null,
    mail_stopped: mailStopped === undefined ? null : { since: mailStopped.since, status: mailStopped.status },
    updated_at: changedAt ?? null,
  };
}

const statuses = schemas.mailDelivery.shape.status;

export const mailDeliveryView = view(messages.WebhookDeliverySchema, schemas.mailDelivery, {
  id: ({ deliveryId }) => Number(deliveryId),
  event: ({ kind }) => kind,
  status: ({ status }) => statuses.parse(status),
});
