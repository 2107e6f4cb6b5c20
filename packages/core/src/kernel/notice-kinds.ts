/** What customers are notified of: the names of contract and documents. A new one is a line here and one in the table of facts. */
export const noticeKinds = [
  "domain.registered",
  "domain.transferred_in",
  "domain.transfer_failed",
  "domain.expiring",
  "domain.renewed",
  "domain.renewal_failed",
  "domain.expired",
  "domain.transferred_away",
  "domain.deleted",
  "server.provisioned",
  "server.order_failed",
  "server.expiring",
  "server.renewed",
  "server.renewal_failed",
  "server.suspended",
  "server.unsuspended",
  "server.terminating",
  "server.terminated",
  "invoice.issued",
  "invoice.corrected",
  "balance.low",
  "ticket.opened",
  "ticket.answered",
  "key.created",
] as const;

/** One of them. */
export type NoticeKind = (typeof noticeKinds)[number];

/** True for the name of a kind; what is stored or sent is any text. */
export function isNoticeKind(text: string): text is NoticeKind {
  return noticeKinds.some((kind) => kind === text);
}

/** Days before a domain's expiry at which its holder is notified, the longest first. */
export const expiryNoticeDays = [30, 7, 1] as const;

/** Days before a server's expiry, and before the destruction of one that expired, at which its holder is notified. */
export const serverNoticeDays = [7, 1] as const;
