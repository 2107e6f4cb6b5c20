import { realTiming } from "@hostledger/runtime";

import { writeHead, type Answer } from "./answer.ts";
import { textOf } from "./kept-text.ts";
import type { ContextResponse } from "./gateway-context.ts";

/** How long a client may take over one page before the connection is cut: a page is about 400 kB, so this is 7 kB/s. */
const stallLimitMs = 60_000;

/**
 * Sends a list that is longer than one page as one JSON array, page by page, each a JSON array of its own: the next page is read when the client has
 * taken the one before, so that neither a long list nor a slow client costs more memory than a page.
 *
 * When a page cannot be read, what the service threw is thrown; the connection must then be broken, so that half a list does
 * not look whole. When the client goes away, reading stops.
 */
export async function stream(
  response: ContextResponse,
  answer: Answer,
  pages: AsyncIterable<string>,
  limitMs = stallLimitMs,
): Promise<void> {
  writeHead(response, answer);
  // Node sends no body to HEAD, so that nothing needs to be read for it.
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  let opening = "[";
  const first = answer.text === undefined ? undefined : textOf(answer.text);
  for await (const page of inOrder(first, pages)) {
    // The page's own brackets are left out: all pages are one array.
    const items = page.slice(1, -1);
    if (items === "") continue;
    response.write(opening + items);
    opening = ",";
    if (!(await isTaken(response, limitMs))) return;
  }
  response.end(opening === "[" ? "[]" : "]");
}

async function* inOrder(first: string | undefined, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== undefined) yield first;
  yield* rest;
}

/** Waits until the connection can take more. @returns false when the client is gone, or took too long and was cut off. */
function isTaken(response: ContextResponse, limitMs: number): Promise<boolean> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve(!response.destroyed);
  return new Promise((resolve) => {
    const callOff = realTiming.after(limitMs, () => {
      response.destroy();
    });
    const settle = (): void => {
      callOff();
      response.off("drain", settle).off("close", settle);
      resolve(!response.destroyed);
    };
    response.once("drain", settle).once("close", settle);
  });
}
