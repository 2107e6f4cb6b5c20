import type { Projection } from "@hostledger/read";

import {
  changesIgnored,
  deliveriesIgnored,
  registryNewsIgnored,
  renewalsIgnored,
  runsIgnored,
  statusesIgnored,
  transfersIgnored,
  type DomainSubscriptionEvent,
} from "./domain.subscription.ts";
import { changeTables } from "./domain.tables.ts";

/** Unfinished changes of domains, which a new owner continues. */
export const pendingChanges: Projection<DomainSubscriptionEvent, typeof changeTables> = {
  name: "pending_changes",
  version: 1,
  categories: ["domain"],
  tables: changeTables,
  handlers: {
    ...changesIgnored,
    ...deliveriesIgnored,
    DomainChangeStarted: (db, { event: { data }, stream }) => {
      db.insert("pending_changes", {
        domain_id: data.domainId,
        domain_name: stream.slice("domain-".length),
        change_id: data.changeId,
        started_at: data.startedAt,
      });
    },
    DomainChangeCompleted: (db, { event: { data } }) => {
      db.delete("pending_changes", { domain_id: data.domainId });
    },
    DomainChangeFailed: (db, { event: { data } }) => {
      db.delete("pending_changes", { domain_id: data.domainId });
    },
    RegistrationReserved: "ignored",
    RegistrationReleased: "ignored",
    RegistrationHeld: "ignored",
    DomainRegistered: "ignored",
    ZoneCreated: "ignored",
    ZoneCreationFailed: "ignored",
    NameserversChanged: "ignored",
    NameserversRefused: "ignored",
    PriceSet: "ignored",
    PriceAnnounced: "ignored",
    ExtensionLifeCycleSet: "ignored",
    ...registryNewsIgnored,
    ...renewalsIgnored,
    ...runsIgnored,
    ...statusesIgnored,
    ...transfersIgnored,
  },
};
