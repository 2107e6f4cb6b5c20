/** Returns the error of a promise. @throws Error if the promise succeeds. */
export async function caught(promise: Promise<unknown>): Promise<unknown> {
  const failed = promise.then(
    () => ({ failed: false, error: undefined }),
    (error: unknown) => ({ failed: true, error }),
  );
  const outcome = await failed;
  if (!outcome.failed) throw new Error("expected a rejection");
  return outcome.error;
}
