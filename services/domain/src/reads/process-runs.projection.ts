import type { RegistrationParked, RenewalParked, TransferParked } from "@hostledger/core";
import type { Handler, ProjectedEvent, Projection } from "@hostledger/projections";

import {
  changesIgnored,
  deliveriesIgnored,
  renewalsIgnored,
  runsIgnored,
  statusesIgnored,
  transfersIgnored,
  type DomainSubscriptionEvent,
} from "./domain.subscription.ts";
import { runTables } from "./domain.tables.ts";

type RunHandler = Handler<DomainSubscriptionEvent, typeof runTables>;

/**
 * Runs that have not ended: what a new owner takes over at start-up, and what staff sees. A run is there from the
 * moment its name is reserved or its renewal begins, before it has a stream of its own.
 */
export const processRuns: Projection<DomainSubscriptionEvent, typeof runTables> = {
  name: "process_runs",
  version: 2,
  tables: runTables,
  handlers: {
    RegistrationReserved: (db, { event: { data } }) => {
      db.insert("process_runs", {
        run: data.registrationId,
        process: "registration",
        subject: data.name,
        account_id: data.accountId,
        status: "running",
        step: "charging",
        started_at: data.reservedAt,
        reason: null,
      });
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
    RegistrationParked: parked,
    RegistrationUnparked: resumed,
    RegistrationAbandoned: abandoned,
    RegistrationCompleted: ended,
    ...renewalsIgnored,
    DomainRenewalStarted: (db, { event: { data } }) => {
      db.insert("process_runs", {
        run: data.renewalId,
        process: "renewal",
        subject: data.name,
        account_id: data.accountId,
        status: "running",
        step: "charging",
        started_at: data.startedAt,
        reason: null,
      });
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
    RenewalParked: parked,
    RenewalUnparked: resumed,
    RenewalAbandoned: abandoned,
    RenewalCompleted: ended,
    ...transfersIgnored,
    TransferReserved: (db, { event: { data } }) => {
      db.insert("process_runs", {
        run: data.transferId,
        process: "transfer",
        subject: data.name,
        account_id: data.accountId,
        status: "running",
        step: "charging",
        started_at: data.reservedAt,
        reason: null,
      });
    },
    TransferCharged: at("running", "ordering"),
    TransferChargeRefused: at("running", "releasing"),
    TransferPending: at("waiting", "pending"),
    TransferOrderRefused: at("running", "refunding"),
    TransferParked: parked,
    TransferUnparked: resumed,
    TransferAbandoned: abandoned,
    TransferCompleted: ended,
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

function at(status: "running" | "waiting", step: string): RunHandler {
  return (db, { stream: run }) => {
    db.update("process_runs", { run }, { status, step });
  };
}

function parked(
  db: Parameters<RunHandler>[0],
  { event, stream: run }: ProjectedEvent<RegistrationParked | RenewalParked | TransferParked>,
): void {
  db.update("process_runs", { run }, { status: "parked", reason: event.data.reason });
}

function resumed(db: Parameters<RunHandler>[0], { stream: run }: { readonly stream: string }): void {
  db.update("process_runs", { run }, { status: "running", reason: null });
}

function abandoned(db: Parameters<RunHandler>[0], { stream: run }: { readonly stream: string }): void {
  db.update("process_runs", { run }, { status: "running", step: "abandoning", reason: null });
}

function ended(db: Parameters<RunHandler>[0], { stream: run }: { readonly stream: string }): void {
  db.delete("process_runs", { run });
}
