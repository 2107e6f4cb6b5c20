import { errorCodeOf } from "./error-code.ts";

/** What SQLite says of itself in an error. https://sqlite.org/rescode.html */
export const sqliteCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** Whether another connection has the file, which may pass. */
export function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === sqliteCodes.busy;
}

/** @returns the primary result code of an error of `node:sqlite`; undefined for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  // The bytes above tell the particular case.
  return error.errcode & 0xff;
}

/** The system's code for an error; SQLite's own codes are put in the system's words. */
export function systemCodeOf(error: unknown): string {
  const sqliteCode = sqliteCodeOf(error);
  if (sqliteCode === sqliteCodes.full) return "ENOSPC";
  if (sqliteCode === sqliteCodes.readOnly) return "EROFS";
  return errorCodeOf(error) ?? "";
}
