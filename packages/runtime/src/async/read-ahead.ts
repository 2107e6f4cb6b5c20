/**
 * What a source gives, the next of it asked for while its reader works on the one before. It is asked for one thing at a time. A reader
 * who leaves does not wait for what was asked for.
 *
 * @param mayAsk whether the next one may be asked for before the reader comes back for it. Default: always.
 */
export async function* readAhead<Given>(
  source: AsyncIterable<Given>,
  mayAsk: (given: Given) => boolean = () => true,
): AsyncGenerator<Given, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<Given, unknown>> | undefined;
  try {
    for (;;) {
      const next = await (asked ?? iterator.next());
      asked = undefined;
      if (next.done === true) return;
      if (mayAsk(next.value)) {
        asked = iterator.next();
        // It is thrown where the reader comes for it.
        asked.catch(() => undefined);
      }
      yield next.value;
    }
  } finally {
    const ended = iterator.return?.();
    if (asked === undefined) await ended;
    else ended?.catch(() => undefined);
  }
}
