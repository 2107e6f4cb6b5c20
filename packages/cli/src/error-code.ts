/** Of the whole runtime, commands would load all. */
export { errorCodeOf, failedPath, fileReason } from "@hostledger/runtime/error-code";

/** What an error says, for a sentence that quotes it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
