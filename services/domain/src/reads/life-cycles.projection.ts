import { nextAutomaticTryAt, type DomainNameEvent } from "@hostledger/core";
import type { ProjectedEvent, Projection, RowWriter } from "@hostledger/projections";

import {
  changesIgnored,
  deliveriesIgnored,
  runsIgnored,
  transfersIgnored,
  type DomainSubscriptionEvent,
} from "./domain.subscription.ts";
import { lifeCycleTables } from "./domain.tables.ts";

/**
 * When each domain is renewed or expires. The rows only say where to look: what is due is decided on the domain's own
 * stream, so that a read model that lags behind does no harm.
 */
export const lifeCycles: Projection<DomainSubscriptionEvent, typeof lifeCycleTables> = {
  name: "life_cycles",
  version: 4,
  categories: ["domain"],
  tables: lifeCycleTables,
  handlers: {
    DomainRegistered: begin,
    ...transfersIgnored,
    DomainTransferredIn: begin,
    ...changesIgnored,
    ...deliveriesIgnored,
    AutoRenewalChanged: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { auto_renew: data.autoRenew });
    },
    DomainRenewalStarted: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { renewing: true });
    },
    DomainRenewed: (db, { event: { data } }) => {
      const { domainId, expiresAt } = data;
      db.update(
        "life_cycles",
        { domain_id: domainId },
        {
          renewing: false,
          expired: false,
          withheld: false,
          expiry_date: expiresAt,
          next_try_at: nextAutomaticTryAt(expiresAt, null),
          missed_cents: null,
        },
      );
    },
    DomainRenewalFailed: (db, { event: { data } }) => {
      const { domainId, automatic, reason, requiredCents, expiresAt, failedAt } = data;
      const missed =
        reason === "insufficient-balance" && requiredCents !== null ? BigInt(requiredCents) : null;
      // A failure of the customer's own leaves the automatic tries as they are.
      const next = automatic
        ? { next_try_at: nextAutomaticTryAt(expiresAt, failedAt), missed_cents: missed }
        : {};
      db.update("life_cycles", { domain_id: domainId }, { renewing: false, ...next });
    },
    LateRenewalAllowed: "ignored",
    DomainExpired: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { expired: true, missed_cents: null });
    },
    DomainSuspended: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { suspended: true });
    },
    DomainUnsuspended: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { suspended: false });
    },
    DomainTakenOffline: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { offline: true });
    },
    DomainBroughtOnline: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { offline: false });
    },
    DomainTransferStarted: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { transferring: true });
    },
    DomainTransferEnded: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { transferring: false });
    },
    DomainWithheld: (db, { event: { data } }) => {
      db.update("life_cycles", { domain_id: data.domainId }, { withheld: true });
    },
    DomainDeleted: (db, { event: { data } }) => {
      db.delete("life_cycles", { domain_id: data.domainId });
    },
    DomainTransferredAway: (db, { event: { data } }) => {
      db.delete("life_cycles", { domain_id: data.domainId });
    },
    DomainExpiryFollowed: (db, { event: { data } }) => {
      const { domainId, expiresAt } = data;
      const next = {
        expiry_date: expiresAt,
        next_try_at: nextAutomaticTryAt(expiresAt, null),
        missed_cents: null,
      };
      db.update("life_cycles", { domain_id: domainId }, next);
    },
    RegistrationReserved: "ignored",
    RegistrationReleased: "ignored",
    RegistrationHeld: "ignored",
    ZoneCreated: "ignored",
    ZoneCreationFailed: "ignored",
    NameserversChanged: "ignored",
    NameserversRefused: "ignored",
    PriceSet: "ignored",
    PriceAnnounced: "ignored",
    ExtensionLifeCycleSet: "ignored",
    ...runsIgnored,
  },
};

type Began = Extract<DomainNameEvent, { readonly type: "DomainRegistered" | "DomainTransferredIn" }>;

function begin(db: RowWriter<typeof lifeCycleTables>, { event: { data } }: ProjectedEvent<Began>): void {
  db.insert("life_cycles", {
    domain_id: data.domainId,
    domain_name: data.name,
    auto_renew: data.autoRenew,
    suspended: false,
    offline: false,
    transferring: false,
    expired: false,
    withheld: false,
    renewing: false,
    expiry_date: data.expiresAt,
    next_try_at: nextAutomaticTryAt(data.expiresAt, null),
    missed_cents: null,
  });
}
