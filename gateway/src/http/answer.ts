import type { ContextResponse } from "./gateway-context.ts";
import { textOf, type KeptText } from "./kept-text.ts";
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
