/**
 * Does several things at once until all have ended. The first that fails ends the others, which are waited for: nothing goes on
 * behind the back of whoever is told of the failure.
 * @throws what the first of them threw, unless the signal has ended them all.
 */
export async function sideBySide(
  signal: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<unknown>)[],
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  const failures: unknown[] = [];
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await task(ending);
      } catch (error) {
        failures.push(error);
        failed.abort();
      }
    }),
  );
  if (failures.length > 0 && !signal.aborted) throw failures[0];
}
