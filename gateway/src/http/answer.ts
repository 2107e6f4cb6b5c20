import { realTiming } from "@hostledger/runtime";

import type { ContextResponse } from "./gateway-context.ts";
import { type KeptText, textOf } from "./kept-json.ts";
import { revalidatedHeaders, securityHeaders } from "./security-headers.ts";

export interface AnsweredFile {
  readonly type: string;
  /** File name for saving: letters, digits, dashes and dots. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Answer of an operation. `body` is sent as JSON; an answer without `body`, `text` and `json` has no body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** JSON text sent unchanged instead of `body`, such as a stored outcome or a list. */
  readonly text?: string | KeptText;
  /** JSON bytes shared by many answers, instead of `body`. */
  readonly json?: Uint8Array;
  /** Further pages of a long list after `text`, each a JSON array. They are read only as fast as the client takes them. */
  readonly rest?: AsyncIterable<string>;
  /** A file instead of JSON. */
  readonly file?: AnsweredFile;
  readonly headers?: Readonly<Record<string, string>>;
  /** Entity tag with its quotes (RFC 9110 §8.8.3); the client may cache the answer and revalidate. */
  readonly tag?: string;
}

/** Sends a whole answer. All responses of the API leave through `send` or `stream`, so all have the same headers. */
export function send(response: ContextResponse, answer: Answer): void {
  if (answer.file !== undefined) {
    sendFile(response, answer, answer.file);
    return;
  }
  const { json } = answer;
  if (json !== undefined) {
    writeHead(response, answer, ["Content-Length", String(json.byteLength)]);
    response.end(json);
    return;
  }
  const { body, text = body === undefined ? undefined : JSON.stringify(body) } = answer;
  if (text === undefined) {
    writeHead(response, answer);
    response.end();
    return;
  }
  const sent = textOf(text);
  const length = typeof text === "string" ? Buffer.byteLength(text) : text.byteLength;
  writeHead(response, answer, ["Content-Length", String(length)]);
  // Node sends a string with the headers in one write, but a buffer in a second write. ASCII text is written as
  // Latin-1, which needs no encoding.
  response.end(sent, length === sent.length ? "latin1" : "utf8");
}

function sendFile(response: ContextResponse, answer: Answer, { type, name, bytes }: AnsweredFile): void {
  writeHead(response, answer, [
    "Content-Type",
    type,
    "Content-Length",
    String(bytes.byteLength),
    "Content-Disposition",
    `attachment; filename="${name}"`,
  ]);
  response.end(bytes);
}

/** Writes the status and all headers. @param framing header names and values that depend on the body's length. */
export function writeHead(
  response: ContextResponse,
  { status, body, text, json, headers = {}, tag }: Answer,
  framing: readonly string[] = [],
): void {
  const { requestId, headers: ofContext } = response.locals.context;
  const all: string[] = ["X-Request-Id", requestId, ...ofContext, ...framing];
  if (body !== undefined || text !== undefined || json !== undefined)
    all.push("Content-Type", "application/json; charset=utf-8");
  for (const [name, value] of Object.entries(headers)) all.push(name, value);
  if (tag !== undefined) all.push("ETag", tag);
  // Writes all headers as one flat list, because setting each header alone costs more than routing.
  response.writeHead(status, all.concat(tag === undefined ? securityHeaders : revalidatedHeaders));
}

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
