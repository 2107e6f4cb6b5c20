import { errorCodeOf } from "./error-code.ts";

/** Primary result codes of SQLite. https://sqlite.org/rescode.html */
export const sqliteCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** Returns true if another connection holds the file, so a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === sqliteCodes.busy;
}

/** @returns the primary result code of a `node:sqlite` error; undefined for other errors */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  // Higher bytes contain the extended code.
  return error.errcode & 0xff;
}

/** Returns true if the file is damaged, or no database at all. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase;
}

/** Returns the system's error code; SQLite's codes are converted. */
export function systemCodeOf(error: unknown): string {
  const sqliteCode = sqliteCodeOf(error);
  if (sqliteCode === sqliteCodes.full) return "ENOSPC";
  if (sqliteCode === sqliteCodes.readOnly) return "EROFS";
  return errorCodeOf(error) ?? "";
}
