import { hash } from "node:crypto";

/** What makes a request the same as another one. */
export interface FingerprintedRequest {
  readonly method: string;
  /** Path of the operation in OpenAPI's notation. */
  readonly path: string;
  /** The values in the path. */
  readonly params: unknown;
  /** The body as it was parsed. */
  readonly body: unknown;
}

/**
 * SHA-256 over method, path and body, in hex. Two bodies are the same when they parse to the same JSON: white space,
 * the order of members and the spelling of a number (`1`, `1.0`) may differ, since an honest client that repeats a request
 * may well write it anew. A member more or less is another body, whether or not anything reads it.
 */
export function fingerprintOf({ method, path, params, body }: FingerprintedRequest): string {
  return hash("sha256", canonicalJson([method, path, params, body]), "hex");
}

/** A piece of the text: either ready, or a value still to be written. */
type Piece = { readonly text: string } | { readonly value: unknown };

/**
 * JSON with the members of every object sorted by name, in the manner of RFC 8785, for values that came from `JSON.parse`.
 * It works off a stack of its own rather than by calling itself: 64 KiB hold brackets enough to overflow the real one.
 */
export function canonicalJson(root: unknown): string {
  const written: string[] = [];
  const pending: Piece[] = [{ value: root }];
  for (let piece = pending.pop(); piece !== undefined; piece = pending.pop()) {
    if ("text" in piece) written.push(piece.text);
    else if (Array.isArray(piece.value)) pushArray(pending, piece.value);
    else if (typeof piece.value === "object" && piece.value !== null) pushObject(pending, piece.value);
    else written.push(JSON.stringify(piece.value));
  }
  return written.join("");
}

/** What is pushed last is written first, so everything is pushed from its end. */
function pushArray(pending: Piece[], items: readonly unknown[]): void {
  pending.push({ text: "]" });
  for (const [at, value] of [...items.entries()].reverse()) {
    pending.push({ value }, { text: at === 0 ? "" : "," });
  }
  pending.push({ text: "[" });
}

function pushObject(pending: Piece[], object: object): void {
  const members: [string, unknown][] = Object.entries(object);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  pending.push({ text: "}" });
  for (const [at, [name, value]] of [...members.entries()].reverse()) {
    pending.push({ value }, { text: `${at === 0 ? "" : ","}${JSON.stringify(name)}:` });
  }
  pending.push({ text: "{" });
}
