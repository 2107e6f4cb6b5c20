import type { Projection } from "@hostledger/projections";

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
 * What new domains still lack: what a new owner goes on with, and what staff sees. A name has its row from its reservation
 * to the moment when nameservers or zone are settled. Runs of a registration that were stopped while delivery was part of
 * them say in facts of their own whether staff must look, or has left the delivery as it is.
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
    // The delegation of a name comes along: only other nameservers are to be delivered.
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
    // An owner that died had registered the domain before staff's word: it is kept, and delivered.
    RegistrationConfirmed: (db, { stream: run }) => {
      db.delete("stopped_runs", { run });
    },
  },
};

/** What is to be delivered once the name is there. */
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
