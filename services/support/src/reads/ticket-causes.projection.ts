import { isCauseOfDifference, mixedScriptsOf } from "@hostledger/core";
import type { Handler, Projection } from "@hostledger/read";

import {
  causeOfAbandonedChange,
  causeOfClockJump,
  causeOfDeparture,
  causeOfFailedRenewal,
  causeOfRegistryRenewal,
  causeOfReturnedPayment,
  causeOfScripts,
  causeOfServerRenewal,
  causeOfSuspendedRun,
  causeOfUnpaidRenewal,
  causeOfTransfer,
  causeOfWebhook,
  causeOfZone,
  firstCauseOf,
} from "./ticket-causes.ts";
import {
  abandonedChangeText,
  clockText,
  departureText,
  failedRenewalText,
  isClosedAtEnd,
  registryRenewalText,
  returnedPaymentText,
  scriptsText,
  suspendedRunText,
  transferText,
  unpaidRenewalText,
  webhookText,
  zoneText,
} from "./ticket-texts.ts";
import { unheardIgnored, type SupportSubscriptionEvent } from "./support.subscription.ts";
import { causeTables } from "./support.tables.ts";

type CauseHandler = Handler<SupportSubscriptionEvent, typeof causeTables>;

/**
 * Events that need a person, until their ticket is opened. A repeated event for a cause with an open ticket (such as a
 * renewal failing again the next day) makes a row again, because opening the same ticket again changes nothing. Causes
 * that can end by themselves (a missing zone, a difference from a provider) remain until their ticket reports the end.
 */
export const ticketCauses: Projection<SupportSubscriptionEvent, typeof causeTables> = {
  name: "ticket_causes",
  version: 13,
  categories: [
    "ticket",
    "ticketcause",
    "clock",
    "comparison",
    "projection",
    "payment",
    "domain",
    "registration",
    "renewal",
    "domaintransfer",
    "server",
    "serverorder",
    "serverrenewal",
    "webhook",
  ],
  tables: causeTables,
  handlers: {
    ...unheardIgnored,
    DomainRegistered: lookedAt,
    DomainTransferredIn: lookedAt,
    ZoneCreationFailed: (db, { event: { data } }) => {
      const cause = causeOfZone(data.domainId);
      db.upsert("followed_causes", { cause, ticket_id: null, is_over: false });
      db.upsert("ticket_causes", {
        cause,
        account_id: data.accountId,
        run: null,
        ...zoneText(data.name, data.reason),
      });
    },
    // Most zones are created at once and have no row, so nothing changes.
    ZoneCreated: (db, { event: { data } }) => {
      db.update("followed_causes", { cause: causeOfZone(data.domainId) }, { is_over: true });
    },
    CriticalDifferencesChanged: (db, { event: { data } }) => {
      for (const { cause } of data.mended) db.update("followed_causes", { cause }, { is_over: true });
    },
    // The customer knows the order's run, so the delivery's ticket uses its id.
    DomainDeliverySuspended: (db, { event: { data } }) => {
      db.upsert("ticket_causes", {
        cause: causeOfSuspendedRun(data.registrationId),
        account_id: data.accountId,
        run: deliveryOf(data),
        ...suspendedRunText(data.registrationId),
      });
    },
    DomainDeliveryResumed: (db, { event: { data }, revision }) => {
      const row = { account_id: null, resumed_revision: revision, is_over: false };
      db.upsert("run_accounts", { run: deliveryOf(data), ...row });
    },
    DomainDeliveryAbandoned: (db, { event: { data } }) => {
      db.update("run_accounts", { run: deliveryOf(data) }, { is_over: true });
    },
    PaymentReturned: (db, { event: { data } }) => {
      // The order was refunded in full, so the customer loses nothing.
      if (data.amountCents === "0") return;
      db.upsert("ticket_causes", {
        cause: causeOfReturnedPayment(data.paymentId),
        account_id: data.accountId,
        run: null,
        ...returnedPaymentText(data),
      });
    },
    DomainRenewalFailed: (db, { event: { data } }) => {
      // Staff know of runs that they ended.
      if (!data.automatic || data.reason === "abandoned") return;
      const isUnpaid = data.reason === "insufficient-balance";
      db.upsert("ticket_causes", {
        cause: (isUnpaid ? causeOfUnpaidRenewal : causeOfFailedRenewal)(data.domainId, data.expiresAt),
        account_id: data.accountId,
        run: null,
        ...(isUnpaid ? unpaidRenewalText(data) : failedRenewalText(data)),
      });
    },
    ServerRenewalFailed: (db, { event: { data } }) => {
      const { automatic, serverId, expiresAt, requiredCents } = data;
      if (!automatic || expiresAt === null) return;
      const about = { name: `server ${String(serverId)}`, expiresAt, requiredCents };
      const isUnpaid = requiredCents !== null;
      db.upsert("ticket_causes", {
        cause: causeOfServerRenewal(serverId, expiresAt, isUnpaid),
        account_id: data.accountId,
        run: null,
        ...(isUnpaid ? unpaidRenewalText(about) : failedRenewalText(about)),
      });
    },
    DomainChangeFailed: (db, { event: { data } }) => {
      // Customers learn of other endings from the answer to their request.
      if (data.by !== "staff" || data.accountId === null || data.name === null) return;
      db.upsert("ticket_causes", {
        cause: causeOfAbandonedChange(data.changeId),
        account_id: data.accountId,
        run: null,
        ...abandonedChangeText(data.name),
      });
    },
    TransferReleased: (db, { event: { data } }) => {
      // A failure within the request was in its answer.
      if (data.reason === "charge-refused" || data.reason === "order-refused") return;
      db.upsert("ticket_causes", {
        cause: causeOfTransfer(data.transferId),
        account_id: data.accountId,
        run: null,
        ...transferText(data.name),
      });
    },
    DomainTransferredAway: (db, { event: { data } }) => {
      db.upsert("ticket_causes", {
        cause: causeOfDeparture(data.domainId),
        account_id: data.accountId,
        run: null,
        ...departureText(data.name),
      });
    },
    DomainExpiryFollowed: (db, { event: { data } }) => {
      db.upsert("ticket_causes", {
        cause: causeOfRegistryRenewal(data.domainId, data.expiresAt),
        account_id: null,
        run: null,
        ...registryRenewalText(data),
      });
    },
    WebhookDisabled: (db, { event: { data } }) => {
      db.upsert("ticket_causes", {
        cause: causeOfWebhook(data.webhookId, data.times),
        account_id: data.accountId,
        run: null,
        ...webhookText(data.webhookId),
      });
    },
    RegistrationStarted: started,
    RenewalRunStarted: started,
    TransferRunStarted: started,
    ServerOrderStarted: started,
    ServerRenewalStarted: started,
    RegistrationParked: parked,
    RenewalParked: parked,
    TransferParked: parked,
    ServerOrderParked: parked,
    ServerRenewalParked: parked,
    RegistrationUnparked: resumed,
    RenewalUnparked: resumed,
    TransferUnparked: resumed,
    ServerOrderUnparked: resumed,
    ServerRenewalUnparked: resumed,
    RegistrationCompleted: over,
    RenewalCompleted: over,
    TransferCompleted: over,
    ServerOrderCompleted: over,
    ServerRenewalCompleted: over,
    StaffTicketRequested: (db, { event: { data } }) => {
      const { cause, title, message, priority } = data;
      if (isCauseOfDifference(cause))
        db.upsert("followed_causes", { cause, ticket_id: null, is_over: false });
      db.upsert("ticket_causes", { cause, account_id: null, run: null, title, message, priority });
    },
    ClockJumpNoticed: (db, { event: { data } }) => {
      const cause = causeOfClockJump(data);
      db.upsert("ticket_causes", { cause, account_id: null, run: null, ...clockText(data) });
    },
    StaffTicketOpened: opened,
    TicketOpened: opened,
    // Our comment's reply id is the cause. A customer's reply may have any id, so only staff comments count.
    TicketReplied: (db, { event: { data } }) => {
      if (data.accountId === null && !isClosedAtEnd(data.replyId))
        db.delete("followed_causes", { cause: data.replyId });
    },
    // Our closing's id is also the cause.
    TicketClosed: (db, { event: { data } }) => {
      if (data.by === "staff") db.delete("followed_causes", { cause: data.closeId });
    },
  },
};

function lookedAt(
  db: Parameters<CauseHandler>[0],
  {
    event: { data },
  }: {
    readonly event: {
      readonly data: { readonly domainId: number; readonly accountId: number; readonly name: string };
    };
  },
): void {
  const mixed = mixedScriptsOf(data.name);
  if (mixed === undefined) return;
  const cause = causeOfScripts(data.domainId);
  db.upsert("ticket_causes", { cause, account_id: null, run: null, ...scriptsText(data, mixed) });
}

function opened(
  db: Parameters<CauseHandler>[0],
  {
    event: { data },
  }: { readonly event: { readonly data: { readonly cause: string; readonly ticketId: number } } },
): void {
  db.delete("ticket_causes", { cause: firstCauseOf(data.cause) });
  db.update("followed_causes", { cause: data.cause }, { ticket_id: data.ticketId });
}

/** Returns the id of a domain's delivery as resumed by staff. */
function deliveryOf({ domainId }: { readonly domainId: number }): string {
  return `delivery-${String(domainId)}`;
}

function started(
  db: Parameters<CauseHandler>[0],
  {
    event,
    stream: run,
  }: { readonly event: { readonly data: { readonly accountId: number } }; readonly stream: string },
): void {
  const account_id = event.data.accountId;
  db.upsert("run_accounts", { run, account_id, resumed_revision: null, is_over: false });
}

/** Stores the resumption, so that a later suspension opens another ticket. */
function resumed(
  db: Parameters<CauseHandler>[0],
  { stream: run, revision }: { readonly stream: string; readonly revision: bigint },
): void {
  db.update("run_accounts", { run }, { resumed_revision: revision });
}

function over(db: Parameters<CauseHandler>[0], { stream: run }: { readonly stream: string }): void {
  db.update("run_accounts", { run }, { is_over: true });
}

function parked(db: Parameters<CauseHandler>[0], { stream: run }: { readonly stream: string }): void {
  db.upsert("ticket_causes", {
    cause: causeOfSuspendedRun(run),
    account_id: null,
    run,
    ...suspendedRunText(run),
  });
}
