/** The `code` of a Node.js error, for example `ENOENT`; undefined for anything without one. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
