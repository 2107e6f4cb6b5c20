import type { ClockJump } from "@hostledger/core";

/** Prefix of causes that are requests. There is one ticket per cause, and causes are part of stream names. */

const requestPrefix = "request-";

/** Returns the cause of a request by a customer or staff. */
export function causeOfRequest(operationId: string): string {
  return `${requestPrefix}${operationId}`;
}

/** Returns true if a request opened the ticket. */
export function isCauseOfRequest(cause: string): boolean {
  return cause.startsWith(requestPrefix);
}

/** Returns the cause of a zone that was not created at registration (specification §4.1, rule 3). */
export function causeOfZone(domainId: number): string {
  return `zone-${String(domainId)}`;
}

/** Returns the cause of an automatic renewal not covered by the balance, per expiry date (contract, "Life cycle"). */
export function causeOfUnpaidRenewal(domainId: number, expiresAt: string): string {
  return `renewal-${String(domainId)}-${expiresAt.slice(0, 10)}`;
}

/** Returns the cause of an automatic renewal that failed for another reason, per expiry date. */
export function causeOfFailedRenewal(domainId: number, expiresAt: string): string {
  return `failedrenewal-${String(domainId)}-${expiresAt.slice(0, 10)}`;
}

/** Returns the cause of a failed automatic renewal of a server, per expiry date and kind of failure. */
export function causeOfServerRenewal(serverId: number, expiresAt: string, isUnpaid: boolean): string {
  return `${isUnpaid ? "renewal" : "failedrenewal"}-server-${String(serverId)}-${expiresAt.slice(0, 10)}`;
}

/** Returns the cause of a run that waits for staff. */
export function causeOfSuspendedRun(run: string): string {
  return `run-${run}`;
}

/** Returns the cause of a suspension. @param resumedRevision of the last resumption; null if never resumed */
export function causeOfSuspension(cause: string, resumedRevision: number | null): string {
  return resumedRevision === null ? cause : `${cause}-again-${String(resumedRevision)}`;
}

/** Returns the cause of a run's first suspension. */
export function firstCauseOf(cause: string): string {
  return cause.replace(/^(run-.*)-again-\d+$/, "$1");
}

/** Returns the cause of a transfer to us that failed after the customer was told of its start. */
export function causeOfTransfer(transferId: string): string {
  return `failed-${transferId}`;
}

/** Returns the cause of an unanswered change that staff ended. */
export function causeOfAbandonedChange(changeId: string): string {
  return `change-${changeId}`;
}

/** Returns the cause of a domain transferred to another registrar. */
export function causeOfDeparture(domainId: number): string {
  return `left-${String(domainId)}`;
}

export function causeOfRegistryRenewal(domainId: number, expiresAt: string): string {
  return `registryrenewal-${String(domainId)}-${expiresAt.slice(0, 10)}`;
}

/** Returns the cause of a name that may imitate another name. */
export function causeOfScripts(domainId: number): string {
  return `scripts-${String(domainId)}`;
}

/** Returns the cause of a disabled webhook. @param times number of disablings; each has a ticket */
export function causeOfWebhook(webhookId: number, times: number): string {
  return `webhook-${String(webhookId)}${times === 1 ? "" : `-again-${String(times)}`}`;
}

/** Returns the cause of a payment that the payment provider took back. */
export function causeOfReturnedPayment(paymentId: number): string {
  return `payment-${String(paymentId)}`;
}

export function causeOfClockJump({ jumpId }: ClockJump): string {
  return `clock-${jumpId}`;
}
