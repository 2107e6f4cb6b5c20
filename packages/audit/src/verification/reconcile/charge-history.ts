import { endsWithDelivery, type HostingEvent, isTeamCharge, runRoleOf } from "@hostledger/core";

import type { ReconciledSides } from "./reconciliation.ts";

/** State of a run by its events; `reserved` if only its subject shows the run. */
export type RunState = "reserved" | "running" | "parked" | "abandoned" | "delivered" | "undelivered";
/** Place and time of an event. */
export interface EventPlace {
  readonly index: number;
  readonly event: string;
  readonly time: string;
}

/** All data about a charge and its run. */
export interface ChargeHistory {
  charge:
    | {
        readonly accountId: number;
        readonly invoiceId: number;
        readonly grossCents: bigint;
        readonly at: EventPlace;
      }
    | undefined;
  invoices: number;
  invoicedCents: bigint;
  refundedCents: bigint;
  /** Amount refunded by staff regardless of the order; included in `refundedCents`. */
  grantedCents: bigint;
  correctedCents: bigint;
  deliveries: number;
  /** State by the run's own events; undefined without a run. */
  run: RunState | undefined;
  /** True for a run that charges nothing: a gift or an imported server. */
  isFree: boolean;
  /** True for a charge of an internal team, which has no run. */
  isTeams: boolean;
}

export function emptyHistory(): ChargeHistory {
  return {
    charge: undefined,
    invoices: 0,
    invoicedCents: 0n,
    refundedCents: 0n,
    grantedCents: 0n,
    correctedCents: 0n,
    deliveries: 0,
    run: undefined,
    isFree: false,
    isTeams: false,
  };
}

/** Returns the id of the charge that an event concerns, which is the name of its run's stream. */
export function chargeOf(stream: string, event: HostingEvent): string | undefined {
  switch (event.type) {
    case "BalanceCharged":
    case "RegistrationRefunded":
    case "ChargeRefunded":
    case "RefundGranted":
    case "CorrectionIssued":
    case "DomainRegistered":
    case "DomainTransferredIn":
    case "DomainRenewed":
    case "ServerRenewed":
      return event.data.chargeId;
    case "RegistrationReleased":
      return event.data.registrationId;
    case "TransferReleased":
      return event.data.transferId;
    case "DomainRenewalFailed":
    case "ServerRenewalFailed":
      return event.data.renewalId;
    case "InvoiceIssued":
      return event.data.action === "topup" ? undefined : event.data.cause;
    case "ServerProvisioned":
      // Gifts and imported servers have no charge.
      return event.data.chargeId ?? undefined;
    default:
      return orderedCharge(event) ?? (runStateOf(event) === undefined ? undefined : stream);
  }
}

export function addToHistory(
  history: ChargeHistory,
  accountId: number,
  event: HostingEvent,
  at: EventPlace,
): void {
  switch (event.type) {
    case "BalanceCharged": {
      const { chargeId, invoiceId, grossCents } = event.data;
      history.isTeams = isTeamCharge(chargeId);
      history.charge ??= { accountId, invoiceId, grossCents: BigInt(grossCents), at };
      return;
    }
    case "RegistrationReleased":
    case "TransferReleased":
    case "DomainRenewalFailed":
    case "ServerRenewalFailed":
      if (history.run === "reserved") history.run = "undelivered";
      return;
    case "InvoiceIssued":
      history.invoices += 1;
      history.invoicedCents += BigInt(event.data.grossCents);
      return;
    case "RegistrationRefunded":
    case "ChargeRefunded":
      history.refundedCents += BigInt(event.data.grossCents);
      return;
    case "RefundGranted":
      history.refundedCents += BigInt(event.data.grossCents);
      history.grantedCents += BigInt(event.data.grossCents);
      return;
    case "CorrectionIssued":
      history.correctedCents -= BigInt(event.data.grossCents);
      return;
    case "DomainRegistered":
    case "DomainTransferredIn":
    case "DomainRenewed":
    case "ServerRenewed":
    case "ServerProvisioned":
      history.deliveries += 1;
      return;
    default:
      if (orderedCharge(event) !== undefined) history.run ??= "reserved";
      if (event.type === "ServerOrderStarted") history.isFree = event.data.grossCents === null;
      history.run = runStateOf(event) ?? history.run;
  }
}

function runStateOf(event: HostingEvent): RunState | undefined {
  switch (runRoleOf(event.type)) {
    case "begun":
    case "retried":
      return "running";
    case "suspended":
      return "parked";
    case "abandoned":
      return "abandoned";
    case "ended":
      return endsWithDelivery(event) ? "delivered" : "undelivered";
    default:
      return undefined;
  }
}

/** Returns the charge ordered in the event's stream; a log may end before its run's first event. */
export function orderedCharge(event: HostingEvent): string | undefined {
  switch (event.type) {
    case "RegistrationReserved":
      return event.data.registrationId;
    case "TransferReserved":
      return event.data.transferId;
    case "DomainRenewalStarted":
    case "ServerRenewalBegun":
      return event.data.renewalId;
    default:
      return undefined;
  }
}

/** Reports a difference between two sides about a charge. */
type ReportFinding = (sides: ReconciledSides, message: string) => void;

/** State of a charge; `charged` for a team's charge, of which nothing further is known. */
export type ChargeEnd = "delivered" | "refunded" | "unfinished" | "charged" | "wrong";

/** Compares books, documents, run and deliveries of a charge. */
export function judgeCharge(history: ChargeHistory, report: ReportFinding): ChargeEnd {
  const { charge, run } = history;
  if (charge === undefined) {
    judgeUncharged(history, report);
    return "wrong";
  }
  judgeDocuments(history, charge.grossCents, report);
  const isRefunded = history.refundedCents >= charge.grossCents;
  if (history.isTeams) return isRefunded ? "refunded" : "charged";
  if (run === undefined) {
    report("charges-runs", "is charged, and no run made the charge");
    return "wrong";
  }
  if (history.isFree) report("charges-runs", "is charged, and its order was free of charge");
  if (history.deliveries > 0 && history.refundedCents > history.grantedCents)
    report("charges-deliveries", "is delivered, and was refunded as well");
  if (history.deliveries > 1)
    report("charges-deliveries", `is delivered ${String(history.deliveries)} times`);
  if (run !== "delivered" && run !== "undelivered") return "unfinished";
  return judgeEnd(history, run, isRefunded, report);
}

function judgeEnd(
  { deliveries }: ChargeHistory,
  run: "delivered" | "undelivered",
  isRefunded: boolean,
  report: ReportFinding,
): ChargeEnd {
  if (run === "delivered" && deliveries === 0) {
    report("charges-deliveries", "ended as delivered, and no event tells what was delivered");
    return "wrong";
  }
  if (run === "delivered") return "delivered";
  if (deliveries > 0) {
    report("charges-deliveries", "is delivered, and its run tells that it was not");
    return "wrong";
  }
  if (isRefunded) return "refunded";
  report("charges-runs", "is charged, and its run ended without delivery or whole refund");
  return "wrong";
}

function judgeDocuments(history: ChargeHistory, grossCents: bigint, report: ReportFinding): void {
  const { invoices, invoicedCents, refundedCents, correctedCents } = history;
  if (invoices !== 1) report("charges-documents", `has ${String(invoices)} invoices instead of one`);
  else if (invoicedCents !== grossCents)
    report(
      "charges-documents",
      `is over ${String(grossCents)} cents, its invoice over ${String(invoicedCents)}`,
    );
  if (refundedCents !== correctedCents)
    report(
      "charges-documents",
      `is refunded ${String(refundedCents)} cents, its corrections are over ${String(correctedCents)}`,
    );
  if (refundedCents > grossCents)
    report(
      "charges-documents",
      `is over ${String(grossCents)} cents, refunded were ${String(refundedCents)}`,
    );
}

/** Accepts a run that was never charged; reports documents, refunds and deliveries without a charge. */
function judgeUncharged(history: ChargeHistory, report: ReportFinding): void {
  const { invoices, refundedCents, correctedCents, deliveries, run, isFree } = history;
  if (invoices > 0) report("charges-documents", "has an invoice, and was never charged");
  if (refundedCents !== 0n || correctedCents !== 0n)
    report("charges-documents", "is refunded, and was never charged");
  if (deliveries > 0) report("charges-deliveries", "is delivered, and was never charged");
  else if (run === "delivered" && !isFree)
    report("charges-runs", "ended as delivered, and was never charged");
}
