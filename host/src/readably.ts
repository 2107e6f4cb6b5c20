import { unlessUnreadable } from "@hostledger/store";
import type { Logger } from "@hostledger/runtime";

/**
 * Does what takes a stream that every start reads. An event in it that cannot be read is logged, and keeps no process from starting
 * and serving customers.
 * @returns undefined where the stream cannot be read.
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
