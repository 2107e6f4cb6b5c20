import { endsWithDelivery, isTeamCharge, runRoleOf, type HostingEvent } from "@hostledger/core";

import { orderedCharge } from "../ordered-charge.ts";

/** What the facts of a run tell of it; `reserved` while only what it is for tells that there is one. */
export type RunState = "reserved" | "running" | "parked" | "abandoned" | "delivered" | "undelivered";
/** Where and when something is told. */
export interface FactPlace {
  readonly index: number;
  readonly event: string;
  readonly time: string;
}

/** All that is told of one charge and the run that made it. */
export interface ChargeHistory {
  charge:
    | {
        readonly accountId: number;
        readonly invoiceId: number;
        readonly grossCents: bigint;
        readonly at: FactPlace;
      }
    | undefined;
  invoices: number;
  invoicedCents: bigint;
  refundedCents: bigint;
  /** What staff returned of it, whatever became of the order; within `refundedCents`. */
  grantedCents: bigint;
  correctedCents: bigint;
  deliveries: number;
  /** What the run's own facts tell; undefined where there is no run. */
  run: RunState | undefined;
  /** True for a run that charges nothing: a gift, or a server that was brought along. */
  isFree: boolean;
  /** True for a charge of an internal team, which no run made. */
  isTeams: boolean;
}

/** A charge of which nothing is told yet. */
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

/** Which charge a fact is about, by the charge's id, which is the name of its run's stream. */
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
      // A gift, and a server that was brought along, have no charge.
      return event.data.chargeId ?? undefined;
    default:
      return orderedCharge(event) ?? (runStateOf(event) === undefined ? undefined : stream);
  }
}

/** Adds a fact to the story of its charge. */
export function tell(history: ChargeHistory, accountId: number, event: HostingEvent, at: FactPlace): void {
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
