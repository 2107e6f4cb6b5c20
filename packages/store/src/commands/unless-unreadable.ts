import { StoredEventError } from "@hostledger/core";

/**
 * Runs work on a stream; if an event of the stream cannot be read, runs `instead`, so that other streams do not wait.
 * @param instead replaces the result if an event cannot be read.
 * @throws any other error of the work.
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
