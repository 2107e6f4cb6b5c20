import { isNoticeKind, mailStopOf, noticeChoiceAggregate, type NoticeKind } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";

import type { NoticeQueries } from "../reads/notice.queries.ts";
import type { MailDocuments } from "./mail-documents.ts";
import type { MailSender } from "./mail-sender.ts";
import { languageOf, mailText } from "./mail-texts.ts";
import { idOfTarget, type Receiver } from "./receiver.ts";

/** Creates the receiver of mail: addresses come from the customers' profiles at the time of sending. */
export function mailReceiver(
  queries: Pick<NoticeQueries, "mailboxOf">,
  sender: MailSender,
  documentsOf: MailDocuments,
  commands: Pick<CommandHandler, "load">,
): Receiver {
  return {
    async send({ target, notice_id: id, kind, body }, _at, signal) {
      const accountId = idOfTarget(target);
      const mailbox = await queries.mailboxOf(accountId);
      if (mailbox === undefined) return { gone: "the account has no e-mail address" };
      const { state } = await commands.load(noticeChoiceAggregate, String(accountId));
      const stop = mailStopOf(state, mailbox.email);
      if (stop !== undefined)
        return { gone: `the address is not written to: mail came back (${stop.status})` };
      if (!isNoticeKind(kind)) return { status: null, error: "there is no text for it", isFinal: true };
      const data = dataOf(body);
      const files = hasDocument(kind) ? await documentsOf(Number(data.invoice_id), id, signal) : [];
      if ("error" in files) return files;
      return sender.send({
        ...mailText(kind, data, languageOf(mailbox.country)),
        id,
        to: mailbox.email,
        files,
      });
    },
    // The mail server itself may have been down, so later notices are still tried.
    tookNothing: () => Promise.resolve(undefined),
  };
}

function hasDocument(kind: NoticeKind): boolean {
  return kind === "invoice.issued" || kind === "invoice.corrected";
}

/** The notice's data in the body that webhooks get. */
function dataOf(body: string): Readonly<Record<string, unknown>> {
  const payload: unknown = JSON.parse(body);
  if (typeof payload !== "object" || payload === null || !("data" in payload)) return {};
  const { data } = payload;
  return typeof data === "object" && data !== null ? Object.fromEntries(Object.entries(data)) : {};
}
