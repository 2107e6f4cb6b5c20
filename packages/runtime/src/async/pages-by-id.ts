import { yieldToOthers } from "./event-loop.ts";

export interface PagesById<Row> {
  /** Reads at most `limit` rows above an id, by id. */
  readonly read: (afterId: number, limit: number) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => number;
  readonly size: number;
  /** Id before the first row. Default: 0 */
  readonly after?: number;
}

/** Yields all rows in pages by id. Each page is read after the previous one was processed. */
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
