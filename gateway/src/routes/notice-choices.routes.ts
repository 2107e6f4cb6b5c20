import type { Client } from "@connectrpc/connect";
import type { support as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { operation, type Operation } from "../http/operation.ts";
import { noticeChoices, noticeChoicesBody } from "../schemas/notice-choice.schema.ts";
import { noticeChoicesView } from "../views/notice-choice.view.ts";

/** What the account chose of its notices (contract, second part). Each reads: schema → Connect call → view. */
export function noticeChoiceRoutes(support: Client<typeof messages.SupportService>): Operation[] {
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
