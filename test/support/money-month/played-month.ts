import type { GivenPayment } from "@hostledger/providers/testing";
import type { VirtualClock } from "@hostledger/runtime/testing";

import type { Answered } from "../command-in-process.ts";
import type { JsonObject } from "../matchers.ts";
import type { Customer } from "../staff-client.ts";

/** The month while it is played, and afterwards. */
export interface Month {
  readonly clock: VirtualClock;
  /** By the numbers of the table, which are their account ids. */
  readonly customers: ReadonlyMap<number, Customer>;
  /** Numbers of the customers' top-ups, by the customers' numbers. */
  readonly topUps: Map<number, string>;
  /** Runs `hostledger … --json`. @throws Error if it ends with another code than 0. */
  readonly asStaff: (line: string, ...more: readonly string[]) => Promise<JsonObject>;
  /** Writes the books in a format to a file that lives as long as `use`. */
  readonly withBooks: <Result>(
    options: string,
    use: (file: string) => Promise<Result> | Result,
  ) => Promise<Result>;
  /** Runs `hostledger …`. @returns what it prints @throws Error if it ends with another code than 0 */
  readonly print: (...words: readonly string[]) => Promise<string>;
  /** A directory that lives as long as the month. */
  readonly directory: string;
  /** Exports the log as a bundle, as auditors get it. */
  readonly withBundle: (use: (directory: string) => Promise<void>) => Promise<void>;
  /** Plays the first days of April. */
  readonly playApril: () => Promise<void>;
  close(): Promise<void>;
}

export interface Played extends Month {
  /** Writes the name of a new file. */
  readonly fileName: () => string;
  /** Runs `hostledger … --json` as staff of this token, or as the first person. */
  readonly command: (token: string | undefined, ...line: readonly string[]) => Promise<Answered>;
  /** Imports a day's statement twice; the second import does nothing. */
  readonly importStatement: (day: string, payments: readonly GivenPayment[]) => Promise<void>;
  /** Sets the clock forward to an instant (ISO 8601 UTC), and lets the due work begin. */
  readonly waitUntil: (instant: string) => Promise<void>;
}
