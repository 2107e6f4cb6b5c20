import { yieldToOthers } from "./event-loop.ts";

/** What pages are read with. */
export interface PagesById<Row> {
  /** Reads rows behind an id, in the order of ids, at most so many. */
  readonly read: (afterId: number, limit: number) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => number;
  /** Rows of a page. */
  readonly size: number;
  /** Before the first row. Default: 0 */
  readonly after?: number;
}

/**
 * All rows of a question, page by page in the order of their ids; none is empty. The next page is read when the one before was dealt
 * with, so that what changes meanwhile behind its last id is seen, and when whoever else waits for the thread had a turn.
 */
export async function* pagesById<Row>({
  read,
  idOf,
  size,
  after = 0,
}: PagesById<Row>): AsyncGenerator<readonly Row[]> {
  for (let afterId = after; ;) {
    const page = await read(afterId, size);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < size) return;
    afterId = idOf(last);
    await yieldToOthers();
  }
}
