import type { RecordedDnsRecord } from "@hostledger/core";
import type { Projection } from "@hostledger/read";

import { deliveriesIgnored, runsIgnored, type DomainSubscriptionEvent } from "./domain.subscription.ts";
import { domainTables } from "./domain.tables.ts";

/** Domains with their DNS records. A row exists from the registration, or from the start of a transfer to us. */
export const domains: Projection<DomainSubscriptionEvent, typeof domainTables> = {
  name: "domains",
  version: 3,
  categories: ["domain"],
  tables: domainTables,
  handlers: {
    RegistrationReserved: "ignored",
    RegistrationReleased: "ignored",
    RegistrationHeld: "ignored",
    DomainRegistered: (db, { event: { data } }) => {
      db.insert("domains", {
        id: data.domainId,
        account_id: data.accountId,
        domain_name: data.name,
        suspended: false,
        suspension_reason: null,
        offline: false,
        transferring: false,
        expired: false,
        provider: data.provider,
        auto_renew: data.autoRenew,
        whois_privacy: data.whoisPrivacy,
        lock_status: data.transferLock,
        uses_service_nameservers: true,
        nameservers: JSON.stringify(data.nameservers),
        registration_date: data.registeredAt,
        expiry_date: data.expiresAt,
        created_at: data.registeredAt,
      });
    },
    TransferReserved: (db, { event: { data } }) => {
      db.insert("domains", {
        id: data.domainId,
        account_id: data.accountId,
        domain_name: data.name,
        suspended: false,
        suspension_reason: null,
        offline: false,
        transferring: true,
        expired: false,
        provider: data.provider,
        auto_renew: data.autoRenew,
        whois_privacy: false,
        lock_status: false,
        uses_service_nameservers: false,
        nameservers: "[]",
        registration_date: null,
        expiry_date: null,
        created_at: data.reservedAt,
      });
    },
    TransferReleased: (db, { event: { data } }) => {
      db.delete("domains", { id: data.domainId });
    },
    DomainTransferredIn: (db, { event: { data } }) => {
      const changes = {
        transferring: false,
        provider: data.provider,
        whois_privacy: data.whoisPrivacy,
        lock_status: data.transferLock,
        nameservers: JSON.stringify(data.nameservers),
        registration_date: data.registeredAt,
        expiry_date: data.expiresAt,
      };
      db.update("domains", { id: data.domainId }, changes);
    },
    ZoneCreated: (db, { event: { data } }) => {
      for (const record of data.records) {
        db.insert("dns_records", {
          id: record.recordId,
          domain_id: data.domainId,
          ...contentOf(record),
          created_at: data.createdAt,
        });
      }
    },
    ZoneCreationFailed: "ignored",
    NameserversChanged: (db, { event: { data } }) => {
      const { domainId: id, usesServiceNameservers, nameservers } = data;
      db.update(
        "domains",
        { id },
        { uses_service_nameservers: usesServiceNameservers, nameservers: JSON.stringify(nameservers) },
      );
    },
    NameserversRefused: "ignored",
    DomainChangeStarted: "ignored",
    DomainChangeCompleted: "ignored",
    DomainChangeFailed: "ignored",
    DnsRecordAdded: (db, { event: { data } }) => {
      const { domainId, record, addedAt } = data;
      db.insert("dns_records", {
        id: record.recordId,
        domain_id: domainId,
        ...contentOf(record),
        created_at: addedAt,
      });
    },
    DnsRecordUpdated: (db, { event: { data } }) => {
      db.update("dns_records", { id: data.record.recordId }, contentOf(data.record));
    },
    DnsRecordDeleted: (db, { event: { data } }) => {
      db.delete("dns_records", { id: data.recordId });
    },
    AutoRenewalChanged: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { auto_renew: data.autoRenew });
    },
    WhoisPrivacyChanged: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { whois_privacy: data.whoisPrivacy });
    },
    TransferLockChanged: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { lock_status: data.transferLock });
    },
    DomainRenewalStarted: "ignored",
    DomainRenewed: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { expiry_date: data.expiresAt, expired: false });
    },
    DomainRenewalFailed: "ignored",
    LateRenewalAllowed: "ignored",
    DomainExpired: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { expired: true });
    },
    DomainSuspended: (db, { event: { data } }) => {
      const { domainId, staffReason } = data;
      db.update("domains", { id: domainId }, { suspended: true, suspension_reason: staffReason });
    },
    DomainUnsuspended: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { suspended: false, suspension_reason: null });
    },
    DomainTakenOffline: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { offline: true });
    },
    DomainBroughtOnline: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { offline: false });
    },
    DomainTransferStarted: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { transferring: true });
    },
    DomainTransferEnded: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { transferring: false });
    },
    // DNS records remain: the zone outlives the registration, and the name's next owner here is another domain.
    DomainWithheld: "ignored",
    DomainDeleted: (db, { event: { data } }) => {
      db.delete("domains", { id: data.domainId });
    },
    DomainTransferredAway: (db, { event: { data } }) => {
      db.delete("domains", { id: data.domainId });
    },
    DomainExpiryFollowed: (db, { event: { data } }) => {
      db.update("domains", { id: data.domainId }, { expiry_date: data.expiresAt });
    },
    PriceSet: "ignored",
    PriceAnnounced: "ignored",
    ExtensionLifeCycleSet: "ignored",
    ...deliveriesIgnored,
    ...runsIgnored,
  },
};

function contentOf({ type, name, value, ttlSeconds, priority }: RecordedDnsRecord) {
  return { type, name, value, ttl_seconds: ttlSeconds, priority };
}
