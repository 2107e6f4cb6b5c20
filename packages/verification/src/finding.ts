import { onOneLine } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";

/** What was checked when something was found. */
export type CheckName =
  | "signature"
  | "files"
  | "store"
  | "root"
  | "tiles"
  | "consistency"
  | "revisions"
  | "decoding"
  | "balances"
  | "charges"
  | "documents"
  | "deliveries"
  | "read-model";

/** Something that is wrong. */
export interface Finding {
  readonly check: CheckName;
  /** The leaf it is about; undefined where it is about the whole log. */
  readonly index: number | undefined;
  /** The event in words, `account-7@3 (BalanceCharged.v1)`; undefined where it could not be read. */
  readonly event: string | undefined;
  /** What is wrong, a clause without its full stop. */
  readonly message: string;
}

/** The event of a finding, in words. */
export function eventPlace({ stream, revision, type }: LogEvent): string {
  return `${stream}@${String(revision)} (${type})`;
}

/** A finding in one line, without its newline. What an event says of itself cannot break or paint the line. */
export function findingLine({ check, index, event, message }: Finding): string {
  const where =
    index === undefined ? "" : `event ${String(index)}${event === undefined ? "" : ` ${event}`}: `;
  return onOneLine(`${check}: ${where}${message}`);
}
