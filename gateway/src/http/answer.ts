import type { ContextResponse } from "./gateway-context.ts";
import { textOf, type KeptText } from "./kept-text.ts";
import { revalidatedHeaders, securityHeaders } from "./security-headers.ts";

/** A file as an operation answers it. */
export interface AnsweredFile {
  /** Media type. */
  readonly type: string;
  /** Under which it is saved: letters, digits, dashes and points. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What an operation answers. `body` becomes JSON; without it, `text` and `json` the answer has none. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** JSON text that is sent as it is, in place of `body`: an outcome that was kept, a list. */
  readonly text?: string | KeptText;
  /** The bytes of JSON that many answers share, in place of `body`. */
  readonly json?: Uint8Array;
  /** The pages that follow `text`, each a JSON array: of a list that is longer. They are read as fast as the client takes them. */
  readonly rest?: AsyncIterable<string>;
  /** A file, in place of JSON. */
  readonly file?: AnsweredFile;
  readonly headers?: Readonly<Record<string, string>>;
  /** Entity tag, quotes included (RFC 9110 §8.8.3): who asked may keep the answer, and ask again with the tag. */
  readonly tag?: string;
}

/** Sends an answer whole. Every response of the API leaves through here or `stream`, so every one has the same headers. */
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
  // A text goes out with the headers in one write; bytes would be a second one. One of ASCII, as most are, is the same bytes
  // in Latin-1, which Node need not encode.
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

/** Writes the status and all headers. @param framing names and values that only the body's length decides. */
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
  // One flat list written at once: setting a dozen headers one by one would cost more than routing does.
  response.writeHead(status, all.concat(tag === undefined ? securityHeaders : revalidatedHeaders));
}
