import type { ClockJump } from "@hostledger/core";

/** Names of what a ticket is opened for: one ticket for each. They become part of a stream's name. */

const requestPrefix = "request-";

/** A request of a customer or of staff. */
export function causeOfRequest(operationId: string): string {
  return `${requestPrefix}${operationId}`;
}

/** True where a request is what the ticket was opened for. */
export function isCauseOfRequest(cause: string): boolean {
  return cause.startsWith(requestPrefix);
}

/** A managed zone that was not created at a registration (specification §4.1, rule 3). */
export function causeOfZone(domainId: number): string {
  return `zone-${String(domainId)}`;
}

/** An automatic renewal that the balance does not cover, once for each expiry date (contract, "Life cycle"). */
export function causeOfUnpaidRenewal(domainId: number, expiresAt: string): string {
  return `renewal-${String(domainId)}-${expiresAt.slice(0, 10)}`;
}

/** An automatic renewal that failed for another reason, once for each expiry date. */
export function causeOfFailedRenewal(domainId: number, expiresAt: string): string {
  return `failedrenewal-${String(domainId)}-${expiresAt.slice(0, 10)}`;
}

/** An automatic renewal of a server that failed, once for each expiry date and for whether the balance was why. */
export function causeOfServerRenewal(serverId: number, expiresAt: string, isUnpaid: boolean): string {
  return `${isUnpaid ? "renewal" : "failedrenewal"}-server-${String(serverId)}-${expiresAt.slice(0, 10)}`;
}

/** A process run that waits for staff. */
export function causeOfSuspendedRun(run: string): string {
  return `run-${run}`;
}

/**
 * The same of a run that was suspended before: staff let it go on, and that ticket may be closed.
 * @param resumedRevision where in the run's stream they last did; null where they never did.
 */
export function causeOfSuspension(cause: string, resumedRevision: number | null): string {
  return resumedRevision === null ? cause : `${cause}-again-${String(resumedRevision)}`;
}

/** The cause of a run's first suspension. */
export function firstCauseOf(cause: string): string {
  return cause.replace(/^(run-.*)-again-\d+$/, "$1");
}

/** A transfer to us that came to nothing after its customer was told that it is under way. */
export function causeOfTransfer(transferId: string): string {
  return `failed-${transferId}`;
}

/** A change of a domain that staff ended, since nobody answered. */
export function causeOfAbandonedChange(changeId: string): string {
  return `change-${changeId}`;
}

/** A name that another registrar holds now. */
export function causeOfDeparture(domainId: number): string {
  return `left-${String(domainId)}`;
}

/** A renewal that the registry made by itself. */
export function causeOfRegistryRenewal(domainId: number, expiresAt: string): string {
  return `registryrenewal-${String(domainId)}-${expiresAt.slice(0, 10)}`;
}

/** A name that may be meant to be taken for another. */
export function causeOfScripts(domainId: number): string {
  return `scripts-${String(domainId)}`;
}

/** A webhook that takes nothing. @param times how often it has been disabled: a ticket for each time */
export function causeOfWebhook(webhookId: number, times: number): string {
  return `webhook-${String(webhookId)}${times === 1 ? "" : `-again-${String(times)}`}`;
}

/** A clock that cannot be right. */
export function causeOfClockJump({ jumpId }: ClockJump): string {
  return `clock-${jumpId}`;
}
