import { unlessUnreadable } from "@hostledger/store";
import type { Logger } from "@hostledger/runtime";

/**
 * Runs a function that reads a stream needed by every start. An unreadable event is logged and does not stop the
 * start.
 * @returns undefined if the stream cannot be read.
 */
export function readably<Result>(
  logger: Pick<Logger, "error">,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return unlessUnreadable(work, (error) => {
    logger.error({ err: error }, "the process goes on without a stream that cannot be read");
    return undefined;
  });
}
