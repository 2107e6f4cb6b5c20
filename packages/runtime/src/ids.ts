import { createHash, randomBytes, randomUUID } from "node:crypto";

/** Where identifiers come from. Injected, so that a test can know them beforehand. */
export interface Ids {
  /** A request's id: 32 lower-case hexadecimal digits, a W3C trace id. */
  requestId(): string;
  /** A UUID, for commands and process runs. */
  uuid(): string;
  /** A secret of so many random bytes, base64url. */
  secret(bytes: number): string;
}

/** Identifiers from the system's source of randomness. */
export const randomIds: Ids = {
  // Node draws UUIDs from a pool of random bytes: a tenth of the cost of asking the system for sixteen at each request.
  requestId: () => randomUUID().replaceAll("-", ""),
  uuid: () => randomUUID(),
  secret: (bytes) => randomBytes(bytes).toString("base64url"),
};

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

/**
 * The trace id of a W3C `traceparent` header (Trace Context, §3.2), to go on under the caller's request id.
 *
 * @returns 32 lower-case hexadecimal digits, or undefined when the header is absent or breaks the specification: then
 * the request gets an id of its own.
 */
export function parseTraceparent(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header);
  const [, version, traceId, parentId, rest] = match ?? [];
  if (version === undefined || version === "ff") return undefined;
  // Version 00 ends after the flags; a later one may add fields, which are to be skipped.
  if (version === "00" && rest !== undefined) return undefined;
  if (traceId === "0".repeat(32) || parentId === "0".repeat(16)) return undefined;
  return traceId;
}
