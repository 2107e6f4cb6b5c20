/** Imported by subpath, so that commands do not load the whole runtime. */
export { errorCodeOf, failedPath, fileReason } from "@hostledger/runtime/error-code";

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
