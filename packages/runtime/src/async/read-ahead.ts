/**
 * Yields a source's items and requests the next item while the reader processes the present one. Requests one item at a
 * time. A reader that stops does not wait for the requested item.
 *
 * @param mayAsk returns true if the next item may be requested early. Default: always.
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
        // The error is thrown when the reader requests the item.
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
