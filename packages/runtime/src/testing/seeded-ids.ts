import { createHash } from "node:crypto";

import type { Ids } from "../ids.ts";

/** Creates predictable identifiers for tests from a seed. */
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
    // Sets version 4 and the RFC 9562 variant, so that validators accept it.
    uuid: () => hex().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5"),
    secret(bytes) {
      if (bytes > 64) throw new RangeError("a seeded secret has at most 64 bytes");
      return next().toString("base64url", 0, bytes);
    },
  };
}
