import { sqliteCodeOf } from "@hostledger/runtime/sqlite-code";

import { messageOf, RowConflictError } from "../errors.ts";
import type { WriteRequest } from "./write-session.ts";

/** A message to the write thread about a file, which the thread opens on first use. */
export interface WriteMessage {
  /** Number of the connection in this process. */
  readonly connection: number;
  readonly path: string;
  /** Undefined closes the connection. */
  readonly requests: readonly WriteRequest[] | undefined;
}

/** Results of a message's requests, in order; closing has one result. */
export interface WriteOutcomes {
  readonly connection: number;
  readonly outcomes: readonly WriteOutcome[];
}

export type WriteOutcome = { readonly rows: readonly unknown[] } | { readonly failure: WriteFailure };

/** An error as data, because cloning an Error object drops its additional fields. */
interface WriteFailure {
  readonly message: string;
  readonly sqliteCode?: number;
  readonly conflict?: { readonly table: string; readonly key: readonly unknown[] };
}

export function encodeFailure(error: unknown): WriteFailure {
  const sqliteCode = sqliteCodeOf(error);
  return {
    message: messageOf(error),
    ...(sqliteCode === undefined ? {} : { sqliteCode }),
    ...(error instanceof RowConflictError ? { conflict: { table: error.table, key: error.key } } : {}),
  };
}

export function decodeFailure({ message, sqliteCode, conflict }: WriteFailure): Error {
  if (conflict !== undefined) return new RowConflictError(conflict.table, conflict.key);
  const error = new Error(message);
  return sqliteCode === undefined ? error : Object.assign(error, { errcode: sqliteCode });
}

/** Types the thread's rows. The tables are STRICT and have the definitions from which the row types are derived. */
export function decodeRows<Row>(rows: readonly unknown[]): Row[] {
  return rows as Row[];
}
