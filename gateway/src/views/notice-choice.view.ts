import type { support as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type * as schemas from "../schemas/notice-choice.schema.ts";
import { present } from "./view.codec.ts";

/** What an account chose of its notices. */
export function noticeChoicesView({
  choices,
}: Pick<messages.GetNoticeChoicesResponse, "choices">): z.output<typeof schemas.noticeChoices> {
  const { balanceLowBelow, mailKinds, changedAt } = present(choices, "GetNoticeChoicesResponse.choices");
  return {
    balance_low_below: balanceLowBelow ?? null,
    mail_kinds: mailKinds?.kinds ?? null,
    updated_at: changedAt ?? null,
  };
}
