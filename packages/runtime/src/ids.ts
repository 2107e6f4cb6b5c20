import { createHash, randomBytes, randomFillSync, randomUUIDv7 } from "node:crypto";

/** Where identifiers come from. Injected, so that a test can know them beforehand. */
export interface Ids {
  /** A request's id: 32 lower-case hexadecimal digits, a W3C trace id. */
  requestId(): string;
  /**
   * A UUID, for commands and process runs. It begins with the time (RFC 9562 §5.7): what is named by such ids one after the other
   * stands together in an index, where one page then takes many.
   */
  uuid(): string;
  /** A secret of so many random bytes, base64url. */
  secret(bytes: number): string;
}

/** Identifiers from the system's source of randomness. */
export const randomIds: Ids = {
  requestId: fromPool(16),
  uuid: () => randomUUIDv7(),
  secret: (bytes) => randomBytes(bytes).toString("base64url"),
};

/** So many random bytes in hex at each call. The system is asked for those of 256 calls at once, which takes a tenth of the time. */
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

/** Identifiers for tests: the same seed gives the same ones in the same order. Never for production. */
export function seededIds(seed: string): Ids {
  let count = 0;
  const next = (): Buffer => {
    count += 1;
    return createHash("sha512")
      .update(`${seed} ${String(count)}`)
      .digest();
  };
  const hex = (): string => next().toString("hex", 0, 16);
  return {
    requestId: hex,
    // Version 4 and the RFC 9562 variant are stamped on, so that validators take it for what it stands for.
    uuid: () => hex().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5"),
    secret(bytes) {
      if (bytes > 64) throw new RangeError("a seeded secret has at most 64 bytes");
      return next().toString("base64url", 0, bytes);
    },
  };
}
