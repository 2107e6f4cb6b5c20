import { support as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { listed } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import { done, inputExamples, line, resourceId, shownText, timestamp } from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";
import { delivery, deliveryMembers, deliveryQuery } from "../webhooks/deliveries.resource.ts";
import { listedKinds } from "../webhooks/webhooks.resource.ts";

/** Body of `PUT /account/notices` (contract, second part). Absent fields stay unchanged; null restores the default. */
const noticeChoicesBody = z.object({
  mail_kinds: listedKinds.nullish().meta({
    description: "Kinds of notices sent by e-mail. An empty list means none, null means all.",
    ...inputExamples(["domain.expiring", "invoice.issued"]),
  }),
  balance_low_below: line({ maximum: 20 })
    .nullish()
    .meta({
      description: "Threshold in euros: the notice `balance.low` is sent when the balance falls below it.",
      ...inputExamples("20.00"),
    }),
});

const noticeChoices = z
  .object({
    balance_low_below: z
      .string()
      .nullable()
      .meta({
        description: "Threshold in euros with two decimals; null means no notice.",
        examples: ["20.00"],
      }),
    mail_kinds: z
      .array(z.string())
      .nullable()
      .meta({
        description: "Kinds of notices sent by e-mail; null means all.",
        examples: [["domain.expiring", "invoice.issued"]],
      }),
    mail_stopped: z
      .object({
        since: timestamp.meta({ description: "Time of the bounce." }),
        status: z.string().meta({
          description: "Enhanced status code (RFC 3463). `5.1.1` means that the mailbox does not exist.",
        }),
      })
      .nullable()
      .meta({
        examples: [null],
        description:
          "The bounce that stopped mail to the profile's address; null if mail is sent. To resume, change the address or send `mail_kinds` again.",
      }),
    updated_at: timestamp.nullable().meta({ description: "Time of the last change." }),
  })
  .meta({ id: "NoticeChoices", description: "The account's choice of notices." });

const mailDelivery = delivery
  .omit({ webhook_id: true })
  .extend({ notice_id: shownText("3f0d1c3e8a", "Beginning of the mail's Message-ID.") })
  .meta({ id: "MailDelivery", description: "Delivery of a notice by e-mail." });

function noticeChoicesView({
  choices,
}: Pick<messages.GetNoticeChoicesResponse, "choices">): z.output<typeof noticeChoices> {
  const chosen = present(choices, "GetNoticeChoicesResponse.choices");
  const { mailStopped: bounce } = chosen;
  return {
    balance_low_below: chosen.balanceLowBelow ?? null,
    mail_kinds: chosen.mailKinds?.kinds ?? null,
    mail_stopped: bounce === undefined ? null : { since: bounce.since, status: bounce.status },
    updated_at: chosen.changedAt ?? null,
  };
}

const mailDeliveryView = view(messages.WebhookDeliverySchema, mailDelivery, deliveryMembers);

const deliveries = "/account/notices/deliveries";

/** Operations on the account's notice choices and mail (contract, second part). */
export const noticeOperations = [
  operation({
    id: "getNoticeChoices",
    scopes: ["account", "read"],
    route: "GET /account/notices",
    summary: "Read the account's choice of notices",
    request: {},
    responses: { 200: noticeChoices },
    refusals: [],
    body: async (_request, { support, call }) => noticeChoicesView(await support.getNoticeChoices({}, call)),
  }),
  operation({
    id: "updateNoticeChoices",
    scopes: ["account"],
    route: "PUT /account/notices",
    summary: "Choose the notices sent by e-mail and the balance that triggers a notice",
    description:
      "Absent fields stay unchanged; null or an empty text restores the default. " +
      "A notice goes to each webhook that lists its kind, and by e-mail if its kind is in `mail_kinds`.",
    request: { body: noticeChoicesBody },
    responses: { 200: noticeChoices },
    refusals: ["quota-exceeded"],
    revisionOf: async (_request, { support, call }) =>
      (await support.getNoticeChoicesRevision({}, call)).revision,
    async body({ body: { balance_low_below: wanted, mail_kinds: kinds } }, { support, call }) {
      const changes = defined({
        balanceLowBelow: wanted === null ? "" : wanted,
        mailKinds: kinds === null ? { all: true } : kinds && { kinds },
      });
      return noticeChoicesView(await support.changeNoticeChoices(changes, call));
    },
  }),
  operation({
    id: "listMailDeliveries",
    scopes: ["account", "read"],
    route: `GET ${deliveries}`,
    summary: "List the notices of the last 45 days sent by e-mail, oldest first",
    request: { query: deliveryQuery },
    responses: { 200: z.array(mailDelivery) },
    refusals: [],
    answer: ({ query }, { support, call }) =>
      listed(deliveries, query, async (page) =>
        (await support.listMailDeliveries({ page }, call)).deliveries.map(mailDeliveryView),
      ),
  }),
  operation({
    id: "resendMailDelivery",
    scopes: ["account"],
    route: `POST ${deliveries}/{mail}/resend`,
    summary: "Send a notice by e-mail again, whatever its status",
    request: { params: z.object({ mail: resourceId.meta({ description: "Delivery id." }) }) },
    responses: { 200: done },
    message: "The delivery is sent again",
    refusals: ["quota-exceeded"],
    async body({ params: { mail: deliveryId } }, { support, call }) {
      await support.resendMailDelivery({ deliveryId }, call);
    },
  }),
];
