/**
 * Waits until all of it has ended: nothing goes on behind the back of whoever is told of a failure.
 * @throws what failed first.
 */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(
    work.map((each) =>
      each.catch((error: unknown) => {
        failures.push(error);
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
}

/**
 * Does several things at once until all have ended. The first that fails ends the others, which are waited for.
 * @throws what the first of them threw, unless the signal has ended them all.
 */
export async function sideBySide(
  signal: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<unknown>)[],
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  try {
    await allEnded(
      tasks.map(async (task) => {
        try {
          await task(ending);
        } catch (error) {
          failed.abort();
          throw error;
        }
      }),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
