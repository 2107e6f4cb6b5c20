import type { Projection } from "@hostledger/projections";

import { runsIgnored, type DomainLogEvent } from "./domain-log.ts";
import { domainTables } from "./domain.tables.ts";

/** The customers' domains with their DNS records. A name has a row from the moment it is registered. */
export const domains: Projection<DomainLogEvent, typeof domainTables> = {
  name: "domains",
  version: 1,
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
        status: "active",
        provider: data.provider,
        auto_renew: data.autoRenew,
        whois_privacy: data.whoisPrivacy,
        lock_status: data.transferLock,
        uses_service_nameservers: true,
        nameservers: JSON.stringify(data.nameservers),
        registration_date: data.registeredAt,
        expiry_date: data.expiresAt,
        dns_records_count: 0,
        created_at: data.registeredAt,
      });
    },
    ZoneCreated: (db, { event: { data } }) => {
      for (const record of data.records) {
        db.insert("dns_records", {
          id: record.recordId,
          domain_id: data.domainId,
          type: record.type,
          name: record.name,
          value: record.value,
          ttl_seconds: record.ttlSeconds,
          priority: record.priority,
          created_at: data.createdAt,
        });
      }
      db.update("domains", { id: data.domainId }, { dns_records_count: data.records.length });
    },
    ZoneCreationFailed: "ignored",
    NameserversChanged: (db, { event: { data } }) => {
      db.update(
        "domains",
        { id: data.domainId },
        {
          uses_service_nameservers: data.usesServiceNameservers,
          nameservers: JSON.stringify(data.nameservers),
        },
      );
    },
    NameserversRefused: "ignored",
    PriceSet: "ignored",
    ...runsIgnored,
  },
};
