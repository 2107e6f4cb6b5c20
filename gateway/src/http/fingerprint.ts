import { hash } from "node:crypto";

/** The parts of a request that must match when an idempotency key is repeated. */
export interface FingerprintedRequest {
  readonly method: string;
  /** Path of the operation in OpenAPI notation. */
  readonly path: string;
  /** Values of the path parameters. */
  readonly params: unknown;
  readonly body: unknown;
}

/**
 * Returns SHA-256 over method, path and body, in hex. White space, member order and number spelling (`1`, `1.0`) do not
 * matter, because clients may serialise a repeated request again. An additional member makes a different body, even if
 * unused.
 */
export function fingerprintOf({ method, path, params, body }: FingerprintedRequest): string {
  return hash("sha256", canonicalJson([method, path, params, body]), "hex");
}

/** Finished text, or a value to be serialised. */
type Piece = { readonly text: string } | { readonly value: unknown };

/** Serialises JSON with sorted members, like RFC 8785. Has its own stack, because deep nesting would overflow. */
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

/** Pushes the parts of an array in reverse, because the stack writes the last part first. */
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
