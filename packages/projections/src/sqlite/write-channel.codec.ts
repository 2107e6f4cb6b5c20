import { sqliteCodeOf } from "@hostledger/runtime/sqlite-code";

import { messageOf, RowConflictError } from "../errors.ts";
import type { WriteRequest } from "./write-session.ts";

/** What the thread that writes is told about one of its files, which it opens when it is first asked of it. */
export interface WriteMessage {
  /** The number that this process gave to the connection. */
  readonly connection: number;
  readonly path: string;
  /** Nothing: the connection is closed. */
  readonly requests: readonly WriteRequest[] | undefined;
}

/** What became of the requests of a message, in their order; one outcome of a closing. */
export interface WriteOutcomes {
  readonly connection: number;
  readonly outcomes: readonly WriteOutcome[];
}

export type WriteOutcome = { readonly rows: readonly unknown[] } | { readonly failure: WriteFailure };

/** An error as data: a clone of an error loses what it knows beside its message. */
interface WriteFailure {
  readonly message: string;
  readonly sqliteCode?: number;
  readonly conflict?: { readonly table: string; readonly key: readonly unknown[] };
}

/** An error of the thread that writes. */
export function encodeFailure(error: unknown): WriteFailure {
  const sqliteCode = sqliteCodeOf(error);
  return {
    message: messageOf(error),
    ...(sqliteCode === undefined ? {} : { sqliteCode }),
    ...(error instanceof RowConflictError ? { conflict: { table: error.table, key: error.key } } : {}),
  };
}

/** The error as it was thrown. */
export function decodeFailure({ message, sqliteCode, conflict }: WriteFailure): Error {
  if (conflict !== undefined) return new RowConflictError(conflict.table, conflict.key);
  const error = new Error(message);
  return sqliteCode === undefined ? error : Object.assign(error, { errcode: sqliteCode });
}

/** Rows that a thread answered: the tables are STRICT, and made from the definitions that the row types come from. */
export function decodeRows<Row>(rows: readonly unknown[]): Row[] {
  return rows as Row[];
}
