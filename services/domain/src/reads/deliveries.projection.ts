import type { Projection } from "@hostledger/read";

import {
  changesIgnored,
  registryNewsIgnored,
  renewalsIgnored,
  runsIgnored,
  statusesIgnored,
  type DomainSubscriptionEvent,
} from "./domain.subscription.ts";
import { deliveryTables } from "./domain.tables.ts";

/**
 * Unfinished deliveries (nameservers or zone) of new domains, for a new owner and for staff. A row exists from the
 * reservation until nameservers or zone are ready. Older registration runs included the delivery; their events show
 * whether it waits for staff or was abandoned.
 */
export const deliveries: Projection<DomainSubscriptionEvent, typeof deliveryTables> = {
  name: "deliveries",
  version: 2,
  categories: ["domain", "registration", "domaintransfer"],
  tables: deliveryTables,
  handlers: {
    ...changesIgnored,
    ...registryNewsIgnored,
    ...renewalsIgnored,
    ...runsIgnored,
    ...statusesIgnored,
    PriceSet: "ignored",
    PriceAnnounced: "ignored",
    ExtensionLifeCycleSet: "ignored",
    RegistrationReserved: (db, { event: { data } }) => {
      db.upsert("deliveries", reserved(data.registrationId, data));
    },
    // A transferred domain keeps its delegation, so only requested nameservers are delivered.
    TransferReserved: (db, { event: { data } }) => {
      if (data.nameservers !== null) db.upsert("deliveries", reserved(data.transferId, data));
    },
    TransferReleased: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    DomainTransferredIn: (db, { stream }) => {
      db.update("deliveries", keyOf(stream), { status: "running" });
    },
    RegistrationHeld: "ignored",
    RegistrationReleased: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    DomainRegistered: (db, { stream }) => {
      db.update("deliveries", keyOf(stream), { status: "running" });
    },
    NameserversRefused: "ignored",
    NameserversChanged: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    ZoneCreationFailed: (db, { stream }) => {
      db.update("deliveries", keyOf(stream), { status: "waiting", step: "creating-zone" });
    },
    ZoneCreated: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    DomainDeliverySuspended: (db, { stream, event: { data } }) => {
      db.update("deliveries", keyOf(stream), { status: "parked", reason: data.reason });
    },
    DomainDeliveryResumed: (db, { stream }) => {
      db.update("deliveries", keyOf(stream), { status: "running", reason: null });
    },
    DomainDeliveryAbandoned: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    DomainDeleted: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    DomainTransferredAway: (db, { stream }) => {
      db.delete("deliveries", keyOf(stream));
    },
    RegistrationParked: (db, { stream: run }) => {
      db.upsert("stopped_runs", { run, status: "parked" });
    },
    RegistrationUnparked: (db, { stream: run }) => {
      db.delete("stopped_runs", { run });
    },
    RegistrationAbandoned: (db, { stream: run }) => {
      db.upsert("stopped_runs", { run, status: "abandoned" });
    },
    // A dead owner had registered the domain before staff abandoned the run; the domain is kept and delivered.
    RegistrationConfirmed: (db, { stream: run }) => {
      db.delete("stopped_runs", { run });
    },
  },
};

function reserved(
  run: string,
  order: { readonly name: string; readonly accountId: number; readonly reservedAt: string },
) {
  const { name: domain_name, accountId: account_id, reservedAt: started_at } = order;
  return { domain_name, run, account_id, status: "reserved", step: "delivering", started_at, reason: null };
}

function keyOf(stream: string): { readonly domain_name: string } {
  return { domain_name: stream.slice("domain-".length) };
}
