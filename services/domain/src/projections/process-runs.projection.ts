import type { Handler, Projection } from "@hostledger/projections";

import { runsIgnored, type DomainLogEvent } from "./domain-log.ts";
import { runTables } from "./domain.tables.ts";

type RunHandler = Handler<DomainLogEvent, typeof runTables>;

/**
 * Runs that have not ended: what a new owner takes over at start-up, and what staff sees. A run is there from the
 * moment its name is reserved, before it has a stream of its own.
 */
export const processRuns: Projection<DomainLogEvent, typeof runTables> = {
  name: "process_runs",
  version: 1,
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
    RegistrationLeftUnsettled: at("waiting", "settling"),
    RegistrarCancellationDue: at("waiting", "cancelling"),
    RegistrationConfirmed: at("running", "delivering"),
    ZoneAttemptFailed: at("waiting", "creating-zone"),
    RegistrationParked: (db, { event: { data }, stream: run }) => {
      db.update("process_runs", { run }, { status: "parked", reason: data.reason });
    },
    RegistrationUnparked: (db, { stream: run }) => {
      db.update("process_runs", { run }, { status: "running", reason: null });
    },
    RegistrationAbandoned: (db, { stream: run }) => {
      db.update("process_runs", { run }, { status: "running", step: "abandoning", reason: null });
    },
    RegistrationCompleted: (db, { stream: run }) => {
      db.delete("process_runs", { run });
    },
    RegistrationReleased: "ignored",
    RegistrationHeld: "ignored",
    DomainRegistered: "ignored",
    ZoneCreated: "ignored",
    ZoneCreationFailed: "ignored",
    NameserversChanged: "ignored",
    NameserversRefused: "ignored",
    PriceSet: "ignored",
  },
};

function at(status: "running" | "waiting", step: string): RunHandler {
  return (db, { stream: run }) => {
    db.update("process_runs", { run }, { status, step });
  };
}
