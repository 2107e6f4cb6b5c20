import {
  domainEvents,
  domainRenewal,
  registration,
  registrationEvents,
  renewalRunEvents,
  transferIn,
  transferRunEvents,
} from "@hostledger/core";
import { runAt, runBegun, runRows, runTables } from "@hostledger/work/process-runs";
import { ignoring, type Projection } from "@hostledger/read";

import type { DomainSubscriptionEvent } from "./domain.subscription.ts";

const purchaseSteps = {
  charged: "ordering",
  declined: "releasing",
  refused: "refunding",
  unanswered: "inquiring",
  pending: "pending",
  notHeld: "settling",
  cancellationDue: "cancelling",
  confirmed: "delivering",
};

/** Unfinished runs, for a new owner and staff, from the name's reservation or the renewal's beginning. */
export const processRuns: Projection<DomainSubscriptionEvent, typeof runTables> = {
  name: "process_runs",
  version: 5,
  categories: ["domain", "registration", "renewal", "domaintransfer"],
  tables: runTables,
  handlers: {
    ...ignoring(domainEvents),
    PriceSet: "ignored",
    PriceAnnounced: "ignored",
    ExtensionLifeCycleSet: "ignored",
    RegistrationReserved: (db, { event: { data } }) => {
      const { registrationId: run, name: subject, accountId, reservedAt: startedAt } = data;
      const begun = { run, process: registration.name, subject, accountId, step: "charging", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    TransferReserved: (db, { event: { data } }) => {
      const { transferId: run, name: subject, accountId, reservedAt: startedAt } = data;
      const begun = { run, process: transferIn.name, subject, accountId, step: "charging", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    DomainRenewalStarted: (db, { event: { data } }) => {
      const { renewalId: run, name: subject, accountId, startedAt } = data;
      const begun = { run, process: domainRenewal.name, subject, accountId, step: "charging", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    ...runRows(registrationEvents, purchaseSteps),
    RegistrationLeftUnsettled: runAt("waiting", "settling"),
    ZoneAttemptFailed: runAt("waiting", "creating-zone"),
    ...runRows(transferRunEvents, purchaseSteps),
    ...runRows(renewalRunEvents, {
      charged: "ordering",
      declined: "failing",
      done: "confirming",
      refused: "refunding",
      unanswered: "inquiring",
      inquiryFailed: "inquiring",
      notHeld: "inquiring",
      neverCharged: "failing",
      returned: "failing",
    }),
  },
};
