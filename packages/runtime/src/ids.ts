import { randomBytes, randomFillSync, randomUUIDv7 } from "node:crypto";

/** Source of identifiers, injected so that tests can predict them. */
export interface Ids {
  /** Returns a request id: 32 lower-case hexadecimal digits, a W3C trace id. */
  requestId(): string;
  /** Returns a UUID that begins with the time (RFC 9562 §5.7), so that successive ids are adjacent in an index. */
  uuid(): string;
  /** Returns a secret of some random bytes in base64url. */
  secret(bytes: number): string;
}

export const randomIds: Ids = {
  requestId: fromPool(16),
  uuid: () => randomUUIDv7(),
  secret: (bytes) => randomBytes(bytes).toString("base64url"),
};

/** Creates a function that returns random bytes in hex, fetched for 256 calls at once to save time. */
function fromPool(bytes: number): () => string {
  const pool = Buffer.alloc(bytes * 256);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    next += bytes;
    return pool.toString("hex", next - bytes, next);
  };
}
