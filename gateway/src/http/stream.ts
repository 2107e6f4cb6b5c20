import { realTiming } from "@hostledger/runtime";

import { writeHead, type Answer } from "./answer.ts";
import { textOf } from "./kept-text.ts";
import type { ContextResponse } from "./gateway-context.ts";

/** Milliseconds that a client may take for one page before the connection is closed: 7 kB/s for a page of about 400 kB. */
const stallLimitMs = 60_000;

/**
 * Sends a list of several pages as one JSON array. The next page is read when the client has taken the previous page,
 * so a long list or a slow client uses the memory of one page.
 *
 * Stops when the client disconnects. @throws the service's error; the caller must then break the connection, so that
 * half a list does not look whole.
 */
export async function stream(
  response: ContextResponse,
  answer: Answer,
  pages: AsyncIterable<string>,
  limitMs = stallLimitMs,
): Promise<void> {
  writeHead(response, answer);
  // HEAD answers have no body, so no page is read.
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  let opening = "[";
  const first = answer.text === undefined ? undefined : textOf(answer.text);
  for await (const page of inOrder(first, pages)) {
    // Removes each page's own brackets, because all pages form one array.
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

/** Waits until the connection accepts more. @returns false if the client disconnected or was too slow */
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
