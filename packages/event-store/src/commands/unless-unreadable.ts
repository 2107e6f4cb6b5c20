import { StoredEventError } from "@hostledger/core";

/**
 * Does what takes a stream, for a caller that goes on where an event in it cannot be read: the stream keeps nothing else waiting.
 * @param instead what is done, and returned, where it cannot be read.
 * @throws whatever else the work throws.
 */
export async function unlessUnreadable<Result, Instead>(
  work: () => Promise<Result>,
  instead: (error: StoredEventError) => Instead,
): Promise<Result | Instead> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoredEventError) return instead(error);
    throw error;
  }
}
