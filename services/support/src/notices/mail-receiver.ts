import { isNoticeKind } from "@hostledger/core";

import type { NoticeQueries } from "../reads/notice.queries.ts";
import type { MailDocuments } from "./mail-documents.ts";
import type { MailSender } from "./mail-sender.ts";
import { languageOf, mailText } from "./mail-texts.ts";
import { idOfTarget, type Receiver } from "./receiver.ts";

/** The mailboxes of customers: whatever their profiles say at the moment of sending. */
export function mailReceiver(
  queries: Pick<NoticeQueries, "mailboxOf">,
  sender: MailSender,
  documentsOf: MailDocuments,
): Receiver {
  return {
    async send({ target, notice_id: id, kind, body }, _at, signal) {
      const mailbox = await queries.mailboxOf(idOfTarget(target));
      if (mailbox === undefined) return { gone: "the account has no e-mail address" };
      if (!isNoticeKind(kind)) return { status: null, error: "there is no text for it", isFinal: true };
      const data = dataOf(body);
      const files = kind === "invoice.issued" ? await documentsOf(Number(data.invoice_id), id, signal) : [];
      if ("error" in files) return files;
      return sender.send({
        ...mailText(kind, data, languageOf(mailbox.country)),
        ...{ id, to: mailbox.email, files },
      });
    },
    // The mail server may be what was not there: the next notice is tried like the first.
    tookNothing: () => Promise.resolve(undefined),
  };
}

/** The notice's data in the body that webhooks get. */
function dataOf(body: string): Readonly<Record<string, unknown>> {
  const payload: unknown = JSON.parse(body);
  if (typeof payload !== "object" || payload === null || !("data" in payload)) return {};
  const { data } = payload;
  return typeof data === "object" && data !== null ? Object.fromEntries(Object.entries(data)) : {};
}
