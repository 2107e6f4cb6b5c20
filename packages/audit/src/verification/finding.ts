import { onOneLine } from "@hostledger/core";
import type { LogEvent } from "../log/index.ts";

/** Check that made a finding. */
export type CheckName =
  | "signature"
  | "files"
  | "store"
  | "root"
  | "tiles"
  | "consistency"
  | "revisions"
  | "decoding"
  | "streams"
  | "balances"
  | "charges"
  | "documents"
  | "deliveries"
  | "read-model";

/** An error found by verification. */
export interface Finding {
  readonly check: CheckName;
  /** Leaf of the event; undefined if it concerns the whole log. */
  readonly index: number | undefined;
  /** The event, such as `account-7@3 (BalanceCharged.v1)`; undefined if unreadable. */
  readonly event: string | undefined;
  /** Clause on the error, without full stop. */
  readonly message: string;
}

export function eventPlace({ stream, revision, type }: LogEvent): string {
  return `${stream}@${String(revision)} (${type})`;
}

/** Formats a finding in one line without line end. Control characters of events are removed. */
export function findingLine({ check, index, event, message }: Finding): string {
  const where =
    index === undefined ? "" : `event ${String(index)}${event === undefined ? "" : ` ${event}`}: `;
  return onOneLine(`${check}: ${where}${message}`);
}
