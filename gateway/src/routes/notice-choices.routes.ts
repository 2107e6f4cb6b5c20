import type { Client } from "@connectrpc/connect";
import type { support as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import {
  mailDeliveryList,
  mailDeliveryPath,
  noticeChoices,
  noticeChoicesBody,
} from "../schemas/notice-choice.schema.ts";
import { listQuery, statusText } from "../schemas/page.schema.ts";
import { done } from "../schemas/values.schema.ts";
import { mailDeliveryView, noticeChoicesView } from "../views/notice-choice.view.ts";

type SupportClient = Client<typeof messages.SupportService>;

/** Operations on the account's notice choices and mail (contract, second part). */
export function noticeChoiceRoutes(support: SupportClient): Operation[] {
  return [...ofChoices(support), ...ofMail(support)];
}

function ofChoices(support: SupportClient): Operation[] {
  return [
    operation({
      id: "getNoticeChoices",
      scopes: ["account", "read"],
      tag: "Account",
      method: "get",
      path: "/account/notices",
      summary: "Read what the account chose of its notices",
      request: {},
      responses: { 200: noticeChoices },
      refusals: [],
      async handle(_request, { call }) {
        return { status: 200, body: noticeChoicesView(await support.getNoticeChoices({}, call)) };
      },
    }),
    operation({
      id: "updateNoticeChoices",
      scopes: ["account"],
      tag: "Account",
      method: "put",
      path: "/account/notices",
      summary: "Choose below which balance the account is notified, and of what by e-mail",
      description:
        "What is absent stays as it is; null, or an empty text, takes it back. Notices go to the webhooks that want them, and by e-mail, if their kind is among `mail_kinds`.",
      request: { body: noticeChoicesBody },
      responses: { 200: noticeChoices },
      refusals: ["quota-exceeded"],
      revisionOf: async (_request, { call }) => (await support.getNoticeChoicesRevision({}, call)).revision,
      async handle({ body: { balance_low_below: wanted, mail_kinds: kinds } }, { call }) {
        const changes = defined({
          balanceLowBelow: wanted === null ? "" : wanted,
          mailKinds: kinds === null ? { all: true } : kinds && { kinds },
        });
        return { status: 200, body: noticeChoicesView(await support.changeNoticeChoices(changes, call)) };
      },
    }),
  ];
}

const deliveries = "/account/notices/deliveries";

function ofMail(support: SupportClient): Operation[] {
  return [
    operation({
      id: "listMailDeliveries",
      scopes: ["account", "read"],
      tag: "Account",
      method: "get",
      path: deliveries,
      summary: "List what was sent by e-mail in the last 45 days, or waits to be, oldest first",
      request: { query: listQuery.extend({ status: statusText(["pending", "delivered", "failed"]) }) },
      responses: { 200: mailDeliveryList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed(deliveries, query, async (page) =>
          (await support.listMailDeliveries({ page }, call)).deliveries.map(mailDeliveryView),
        ),
    }),
    operation({
      id: "resendMailDelivery",
      scopes: ["account"],
      tag: "Account",
      method: "post",
      path: `${deliveries}/{mail}/resend`,
      summary: "Send a notice by e-mail once more, whatever became of it",
      request: { params: mailDeliveryPath },
      responses: { 200: done },
      exampleMessage: "The delivery is sent again",
      refusals: ["quota-exceeded"],
      async handle({ params: { mail: deliveryId } }, { call }) {
        await support.resendMailDelivery({ deliveryId }, call);
        return { status: 200, body: { status: true, message: "The delivery is sent again" } };
      },
    }),
  ];
}
