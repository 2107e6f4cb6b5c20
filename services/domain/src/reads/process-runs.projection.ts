import {
  runAt as at,
  runBegun,
  runEnded,
  runSuspended,
  runTables,
} from "@hostledger/process-manager/process-runs";
import type { Projection } from "@hostledger/projections";

import {
  changesIgnored,
  deliveriesIgnored,
  renewalsIgnored,
  runsIgnored,
  statusesIgnored,
  transfersIgnored,
  type DomainSubscriptionEvent,
} from "./domain.subscription.ts";

/**
 * Runs that have not ended: what a new owner takes over at start-up, and what staff sees. A run is there from the
 * moment its name is reserved or its renewal begins, before it has a stream of its own.
 */
export const processRuns: Projection<DomainSubscriptionEvent, typeof runTables> = {
  name: "process_runs",
  version: 3,
  categories: ["domain", "registration", "renewal", "domaintransfer"],
  tables: runTables,
  handlers: {
    RegistrationReserved: (db, { event: { data } }) => {
      const { registrationId: run, name: subject, accountId, reservedAt: startedAt } = data;
      const begun = { run, process: "registration", subject, accountId, step: "charging", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    ...runsIgnored,
    RegistrationCharged: at("running", "ordering"),
    RegistrationChargeRefused: at("running", "releasing"),
    RegistrarOrderRefused: at("running", "refunding"),
    RegistrarOutcomeUnknown: at("running", "inquiring"),
    RegistrarOrderNotHeld: at("waiting", "settling"),
    RegistrationLeftUnsettled: at("waiting", "settling"),
    RegistrarCancellationDue: at("waiting", "cancelling"),
    RegistrationConfirmed: at("running", "delivering"),
    ZoneAttemptFailed: at("waiting", "creating-zone"),
    RegistrationParked: runSuspended,
    RegistrationUnparked: at("running"),
    RegistrationAbandoned: at("running", "abandoning"),
    RegistrationCompleted: runEnded,
    ...renewalsIgnored,
    DomainRenewalStarted: (db, { event: { data } }) => {
      const { renewalId: run, name: subject, accountId, startedAt } = data;
      const begun = { run, process: "renewal", subject, accountId, step: "charging", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    RenewalCharged: at("running", "ordering"),
    RenewalChargeRefused: at("running", "failing"),
    RenewalOrderCompleted: at("running", "confirming"),
    RenewalOrderRefused: at("running", "refunding"),
    RenewalOutcomeUnknown: at("running", "inquiring"),
    RenewalInquiryFailed: at("waiting", "inquiring"),
    RenewalOrderNotHeld: at("waiting", "inquiring"),
    RenewalNeverCharged: at("running", "failing"),
    RenewalChargeReturned: at("running", "failing"),
    RenewalParked: runSuspended,
    RenewalUnparked: at("running"),
    RenewalAbandoned: at("running", "abandoning"),
    RenewalCompleted: runEnded,
    ...transfersIgnored,
    TransferReserved: (db, { event: { data } }) => {
      const { transferId: run, name: subject, accountId, reservedAt: startedAt } = data;
      const begun = { run, process: "transfer", subject, accountId, step: "charging", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    TransferCharged: at("running", "ordering"),
    TransferChargeRefused: at("running", "releasing"),
    TransferPending: at("waiting", "pending"),
    TransferOrderRefused: at("running", "refunding"),
    TransferParked: runSuspended,
    TransferUnparked: at("running"),
    TransferAbandoned: at("running", "abandoning"),
    TransferCompleted: runEnded,
    RegistrationReleased: "ignored",
    RegistrationHeld: "ignored",
    DomainRegistered: "ignored",
    ZoneCreated: "ignored",
    ZoneCreationFailed: "ignored",
    NameserversChanged: "ignored",
    NameserversRefused: "ignored",
    ...changesIgnored,
    ...deliveriesIgnored,
    ...statusesIgnored,
    PriceSet: "ignored",
  },
};
