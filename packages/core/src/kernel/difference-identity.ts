/** What a difference is told by, whatever else is said of it. */
export interface DifferenceIdentity {
  readonly kind: string;
  readonly resource: string;
}

/** The identity as a text. */
export function identityOfDifference({ kind, resource }: DifferenceIdentity): string {
  return `${kind} ${resource}`;
}

const causePrefix = "drift-";

/**
 * What the ticket of a difference is opened for.
 * @param time 1 when it is found for the first time, 2 when it is found again after it was mended.
 */
export function causeOfDifference({ kind, resource }: DifferenceIdentity, time: number): string {
  return `${causePrefix}${time === 1 ? "" : `${String(time)}-`}${kind}-${resource}`;
}

/** True where a difference is what the ticket was opened for. */
export function isCauseOfDifference(cause: string): boolean {
  return cause.startsWith(causePrefix);
}
