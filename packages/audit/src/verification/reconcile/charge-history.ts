import { endsWithDelivery, isTeamCharge, runRoleOf, type HostingEvent } from "@hostledger/core";

import { orderedCharge } from "../ordered-charge.ts";

/** State of a run by its events; `reserved` if only its subject shows the run. */
export type RunState = "reserved" | "running" | "parked" | "abandoned" | "delivered" | "undelivered";
/** Place and time of an event. */
export interface FactPlace {
  readonly index: number;
  readonly event: string;
  readonly time: string;
}

/** Everything known of a charge and its run. */
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
