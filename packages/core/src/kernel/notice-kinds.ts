/** Kinds of notices to customers, as in the contract. A new kind also needs a line in the notice table. */
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
  "balance.in_debt",
  "topup.settled",
  "topup.failed",
  "ticket.opened",
  "ticket.answered",
  "key.created",
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

export function isNoticeKind(text: string): text is NoticeKind {
  return noticeKinds.some((kind) => kind === text);
}

/** Days before a domain's expiry at which its owner is notified, the longest first. */
export const expiryNoticeDays = [30, 7, 1] as const;

/** Days before a server's expiry, and before an expired server is destroyed, at which its owner is notified. */
export const serverNoticeDays = [7, 1] as const;
