import { onOneLine } from "@hostledger/core";

import type { LogEvent } from "../log/index.ts";
import type { LogSource } from "./log-source.ts";

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

/** Maximum findings stored, to bound memory; further ones are counted. */
const findingsMaximum = 1_000;

export interface Findings {
  readonly at: (check: CheckName, index: number, event: string | undefined, message: string) => void;
  /** Adds a finding whose event is looked up at the end. */
  readonly later: (check: CheckName, index: number, message: string) => void;
  readonly whole: (check: CheckName, message: string) => void;
  readonly count: () => number;
  readonly named: (source: LogSource) => Promise<readonly Finding[]>;
}

export function collectFindings(): Findings {
  const found: Finding[] = [];
  let count = 0;
  const add = (finding: Finding): void => {
    count += 1;
    if (found.length < findingsMaximum) found.push(finding);
  };
  return {
    at: (check, index, event, message) => {
      add({ check, index, event, message });
    },
    later: (check, index, message) => {
      add({ check, index, event: undefined, message });
    },
    whole: (check, message) => {
      add({ check, index: undefined, event: undefined, message });
    },
    count: () => count,
    async named(source) {
      const named: Finding[] = [];
      // One at a time, because a thousand parallel look-ups would open a thousand files.
      for (const finding of found) named.push(await withPlace(finding, source));
      return named;
    },
  };
}

async function withPlace(finding: Finding, source: LogSource): Promise<Finding> {
  const { index, event } = finding;
  if (index === undefined || event !== undefined) return finding;
  for await (const [entry] of source.entries(index, index + 1))
    if (entry?.event !== undefined) return { ...finding, event: eventPlace(entry.event) };
  return finding;
}
