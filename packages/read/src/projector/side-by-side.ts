/** Waits until all work has ended, so that nothing continues after an error is thrown. @throws the first failure. */
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
 * Runs tasks in parallel until all have ended. The first failure aborts the others.
 * @throws the first failure, unless the signal aborted all tasks.
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
