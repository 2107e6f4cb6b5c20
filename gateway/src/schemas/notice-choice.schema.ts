import { z } from "zod";

import { line } from "./text.schema.ts";
import { inputExamples, resourceId, timestamp, shownText } from "./values.schema.ts";
import { delivery, listedKinds } from "./webhook.schema.ts";

/** Body of `PUT /account/notices` (contract, second part). Absent fields stay unchanged; null restores the default. */
export const noticeChoicesBody = z.object({
  mail_kinds: listedKinds.nullish().meta({
    description: "Of which kinds mail is sent: a list, an empty one for none, null for all.",
    ...inputExamples(["domain.expiring", "invoice.issued"]),
  }),
  balance_low_below: line({ maximum: 20 })
    .nullish()
    .meta({
      description: "Be notified (`balance.low`) when the balance falls below so many euros.",
      ...inputExamples("20.00"),
    }),
});

/** Answer of `GET /account/notices` and `PUT /account/notices`. */
export const noticeChoices = z
  .object({
    balance_low_below: z
      .string()
      .nullable()
      .meta({ description: "Euros with two decimals; null: no notice.", examples: ["20.00"] }),
    mail_kinds: z
      .array(z.string())
      .nullable()
      .meta({
        description: "Of which kinds mail is sent; null: all of them.",
        examples: [["domain.expiring", "invoice.issued"]],
      }),
    mail_stopped: z
      .object({
        since: timestamp.meta({ description: "When a mail came back." }),
        status: z.string().meta({
          description: "Enhanced status code (RFC 3463): `5.1.1` means that there is no such mailbox.",
        }),
      })
      .nullable()
      .meta({
        examples: [null],
        description:
          "The address of the profile is not written to, since mail came back: change the address, or put `mail_kinds` to be written to again. Null: it is.",
      }),
    updated_at: timestamp.nullable().meta({ description: "When it was last changed." }),
  })
  .meta({ id: "NoticeChoices", description: "What the account chose of its notices." });

export const mailDeliveryPath = z.object({ mail: resourceId.meta({ description: "Delivery id." }) });

export const mailDelivery = delivery
  .omit({ webhook_id: true })
  .extend({ notice_id: shownText("3f0d1c3e8a", "What its Message-ID begins with.") })
  .meta({ id: "MailDelivery", description: "A notice on its way by e-mail." });

export const mailDeliveryList = z.array(mailDelivery);
