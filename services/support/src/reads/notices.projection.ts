import type { Projection } from "@hostledger/read";

import {
  corrected,
  domain,
  fall,
  nameOf,
  notice,
  numberOf,
  server,
  type DomainEvent,
  type NoticeWriter,
} from "./notice-drafts.ts";
import { noticeTables } from "./notice.tables.ts";
import { unheardIgnored, type SupportSubscriptionEvent } from "./support.subscription.ts";

/** Notices by event. Customers' choices are compared on sending, so a rebuild makes equal rows (docs/adr/0096). */
export const notices: Projection<SupportSubscriptionEvent, typeof noticeTables> = {
  name: "notices",
  version: 10,
  categories: ["account", "domain", "server", "ticket", "webhook", "noticechoice", "payment"],
  tables: noticeTables,
  handlers: {
    ...unheardIgnored,
    DomainRegistered: notice<"DomainRegistered">(
      ({ event: { data } }) => domain("domain.registered", data, data.name, data.registeredAt),
      expires,
    ),
    DomainTransferredIn: notice<"DomainTransferredIn">(
      ({ event: { data } }) => domain("domain.transferred_in", data, data.name, data.transferredAt),
      expires,
    ),
    TransferReleased: notice<"TransferReleased">(({ event: { data } }) => {
      // A failure within the request was in its answer.
      if (data.reason === "charge-refused" || data.reason === "order-refused") return undefined;
      return {
        ...domain("domain.transfer_failed", data, data.name, data.releasedAt),
        data: { domain_id: data.domainId, domain_name: data.name, reason: data.reason },
      };
    }),
    DomainRenewed: notice<"DomainRenewed">(
      ({ event: { data }, stream }) => domain("domain.renewed", data, nameOf(stream), data.renewedAt),
      expires,
    ),
    // Not a customer's renewal, but the domain expires later.
    DomainExpiryFollowed: (db, input) => {
      expires(db, input);
    },
    DomainRenewalFailed: notice<"DomainRenewalFailed">(({ event: { data } }) => {
      // A requested renewal was answered. Daily attempts make one notice per reason.
      if (!data.automatic) return undefined;
      return {
        ...domain("domain.renewal_failed", data, data.name, data.failedAt, { reason: data.reason }),
        once: `renewal-failed/${String(data.domainId)}/${data.expiresAt}/${data.reason}`,
      };
    }),
    DomainExpired: notice<"DomainExpired">(
      ({ event: { data } }) => domain("domain.expired", data, data.name, data.expiredAt),
      ends,
    ),
    DomainTransferredAway: notice<"DomainTransferredAway">(
      ({ event: { data } }) => ({
        ...domain("domain.transferred_away", data, data.name, data.leftAt),
        data: { domain_id: data.domainId, domain_name: data.name },
      }),
      ends,
    ),
    DomainDeleted: notice<"DomainDeleted">(
      ({ event: { data } }) => domain("domain.deleted", data, data.name, data.deletedAt),
      ends,
    ),
    PersonalDataErased: (db, { event: { data } }) => {
      db.upsert("erased_accounts", { id: data.accountId });
    },
    ProfileChanged: (db, { event: { data }, position }) => {
      const { accountId: account_id, email, country, changedAt: changed_at } = data;
      db.upsert("notice_mailboxes", { account_id, position, email, country, changed_at });
    },
    WebhookCreated: (db, { event: { data }, position }) => {
      db.insert("webhooks", {
        id: data.webhookId,
        account_id: data.accountId,
        kinds: data.kinds === null ? null : JSON.stringify(data.kinds),
        disabled: false,
        created_at: data.createdAt,
        created_position: position,
      });
    },
    WebhookChanged: (db, { event: { data } }) => {
      const kinds = data.kinds === null ? null : JSON.stringify(data.kinds);
      db.update("webhooks", { id: data.webhookId }, { kinds });
    },
    WebhookDisabled: (db, { event: { data } }) => {
      db.update("webhooks", { id: data.webhookId }, { disabled: true });
    },
    WebhookPaused: (db, { event: { data } }) => {
      db.update("webhooks", { id: data.webhookId }, { disabled: true });
    },
    // Notices from the time without sending stay unsent, even if the list is read again.
    WebhookEnabled: (db, { event: { data }, position }) => {
      db.update(
        "webhooks",
        { id: data.webhookId },
        { disabled: false, created_at: data.enabledAt, created_position: position },
      );
    },
    WebhookDeleted: (db, { event: { data } }) => {
      db.delete("webhooks", { id: data.webhookId });
    },
    ServerOrdered: (db, { event: { data } }) => {
      db.upsert("notice_servers", { id: data.serverId, account_id: data.accountId });
    },
    ServerProvisioned: notice<"ServerProvisioned">(
      ({ event: { data } }) =>
        server("server.provisioned", data, data.provisionedAt, {
          ip_address: data.ipAddress,
          expiry_date: data.expiresAt,
        }),
      paid,
    ),
    ServerOrderFailed: notice<"ServerOrderFailed">(({ event: { data } }) =>
      server("server.order_failed", data, data.failedAt),
    ),
    ServerRenewed: notice<"ServerRenewed">(
      ({ event: { data } }) =>
        server("server.renewed", data, data.renewedAt, { expiry_date: data.expiresAt }),
      paid,
    ),
    ServerRenewalFailed: notice<"ServerRenewalFailed">(({ event: { data } }) => {
      const { automatic, serverId, expiresAt, requiredCents } = data;
      if (!automatic || expiresAt === null) return undefined;
      const reason = requiredCents === null ? "failed" : "insufficient-balance";
      return {
        ...server("server.renewal_failed", data, data.failedAt, { expiry_date: expiresAt, reason }),
        once: `renewal-failed/${String(serverId)}/${expiresAt}/${reason}`,
      };
    }),
    ServerSuspended: notice<"ServerSuspended">(
      ({ event: { data } }) => {
        const { suspendedAt, reason, hold: held, publicReason: hold_reason } = data;
        return server("server.suspended", data, suspendedAt, { reason, held, hold_reason });
      },
      (db, { event: { data } }) => {
        const { serverId: id, suspendedAt: suspended_at, hold: held } = data;
        db.update("notice_server_terms", { id }, { suspended_at, held });
      },
    ),
    ServerUnsuspended: notice<"ServerUnsuspended">(
      ({ event: { data } }) => server("server.unsuspended", data, data.unsuspendedAt),
      (db, { event: { data } }) => {
        const { serverId: id, unsuspendedAt: released_at } = data;
        db.update("notice_server_terms", { id }, { suspended_at: null, held: false, released_at });
      },
    ),
    ServerCancelled: (db, { event: { data } }) => {
      db.update("notice_server_terms", { id: data.serverId }, { cancelled: true });
    },
    ServerAutoRenewalChanged: (db, { event: { data } }) => {
      if (data.autoRenew) db.update("notice_server_terms", { id: data.serverId }, { cancelled: false });
    },
    // The server's end can no longer be changed, even while its machine still exists.
    ServerTerminationBegun: (db, { event: { data } }) => {
      db.delete("notice_server_terms", { id: data.serverId });
    },
    ServerTerminated: notice<"ServerTerminated">(({ event: { data } }) =>
      server("server.terminated", data, data.terminatedAt),
    ),
    LowBalanceThresholdSet: (db, { event: { data }, position }) => {
      db.upsert("notice_thresholds", {
        account_id: data.accountId,
        position,
        threshold_cents: data.thresholdCents === null ? null : Number(data.thresholdCents),
      });
    },
    MailKindsChosen: (db, { event: { data } }) => {
      const kinds = data.kinds === null ? null : JSON.stringify(data.kinds);
      db.upsert("notice_mail_kinds", { account_id: data.accountId, kinds });
    },
    BalanceCharged: notice<"BalanceCharged">(({ event: { data }, stream }) =>
      fall(stream, -Number(data.grossCents), Number(data.balanceAfterCents), data.chargedAt),
    ),
    BalanceAdjusted: notice<"BalanceAdjusted">(({ event: { data }, stream }) =>
      fall(stream, Number(data.amountCents), Number(data.balanceAfterCents), data.adjustedAt),
    ),
    DebtReminded: notice<"DebtReminded">(({ event: { data }, stream }) => {
      const { accountId, balanceCents, debtSince, afterDays, reminder } = data;
      return {
        kind: "balance.in_debt",
        accountId,
        resource: stream,
        at: data.remindedAt,
        data: { balance: Number(balanceCents) / 100, debt_since: debtSince, debt_days: afterDays, reminder },
      };
    }),
    BalancePaidOut: notice<"BalancePaidOut">(({ event: { data }, stream }) =>
      fall(stream, -Number(data.amountCents), Number(data.balanceAfterCents), data.paidOutAt),
    ),
    InvoiceIssued: notice<"InvoiceIssued">(({ event: { data }, stream }) => {
      const accountId = numberOf(stream);
      const { invoiceId, number, action } = data;
      return {
        kind: "invoice.issued",
        accountId,
        resource: stream,
        at: data.issuedAt,
        data: { invoice_id: invoiceId, number, action, brutto: Number(data.grossCents) / 100 },
      };
    }),
    PaymentSettled: notice<"PaymentSettled">(({ event: { data }, stream }) => ({
      kind: "topup.settled",
      accountId: data.accountId,
      resource: stream,
      at: data.settledAt,
      data: { topup_id: data.paymentId, paid: Number(data.amountCents) / 100 },
    })),
    PaymentFailed: notice<"PaymentFailed">(({ event: { data }, stream }) => ({
      kind: "topup.failed",
      accountId: data.accountId,
      resource: stream,
      at: data.failedAt,
      data: { topup_id: data.paymentId, failure: data.because.replaceAll("-", "_") },
    })),
    CorrectionIssued: notice<"CorrectionIssued">(({ event: { data }, stream }) =>
      corrected(stream, data, false),
    ),
    ReceiptCancelled: notice<"ReceiptCancelled">(({ event: { data }, stream }) =>
      corrected(stream, data, true),
    ),
    ApiKeyIssued: notice<"ApiKeyIssued">(({ event: { data }, stream }) => ({
      kind: "key.created",
      accountId: numberOf(stream),
      resource: stream,
      at: data.issuedAt,
      data: { key_id: data.keyId, prefix: data.prefix },
    })),
    TicketOpened: notice<"TicketOpened">(({ event: { data } }) => ({
      kind: "ticket.opened",
      accountId: data.accountId,
      resource: `ticket-${String(data.ticketId)}`,
      at: data.openedAt,
      data: { ticket_id: data.ticketId, priority: data.priority },
    })),
    TicketReplied: notice<"TicketReplied">(({ event: { data } }) => {
      // A customer's own comment is no answer; the oldest events lack the ticket's account.
      if (data.accountId !== null || data.ticketAccountId === null) return undefined;
      return {
        kind: "ticket.answered",
        accountId: data.ticketAccountId,
        resource: `ticket-${String(data.ticketId)}`,
        at: data.repliedAt,
        data: { ticket_id: data.ticketId, comment_id: data.commentId },
      };
    }),
  },
};

function expires(
  db: NoticeWriter,
  {
    event: { data },
    stream,
  }: {
    readonly event: { readonly data: DomainEvent & { readonly expiresAt: string } };
    readonly stream: string;
  },
): void {
  const { domainId: id, accountId, expiresAt } = data;
  db.upsert("notice_domains", { id, account_id: accountId, name: nameOf(stream), expires_at: expiresAt });
}

/** Updates the paid term; a suspended server is terminated after the new term. */
function paid(
  db: NoticeWriter,
  {
    event: { data },
  }: {
    readonly event: {
      readonly data: {
        readonly serverId: number;
        readonly accountId: number;
        readonly expiresAt: string;
        readonly staysSuspended?: boolean;
      };
    };
  },
): void {
  const { serverId: id, accountId: account_id, expiresAt: expires_at, staysSuspended = false } = data;
  if (staysSuspended) {
    db.update("notice_server_terms", { id }, { expires_at, cancelled: false });
    return;
  }
  const runs = { suspended_at: null, cancelled: false, held: false, released_at: null };
  db.upsert("notice_server_terms", { id, account_id, expires_at, ...runs });
}

function ends(db: NoticeWriter, { event }: { readonly event: { readonly data: DomainEvent } }): void {
  db.delete("notice_domains", { id: event.data.domainId });
}
