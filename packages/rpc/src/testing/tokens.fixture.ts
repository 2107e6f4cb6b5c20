import { rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import { callerFrom, actorOf } from "../identity/caller.ts";
import { createCallerTokens, type CallerTokens, type TokenClock } from "../identity/caller-token.ts";
import {
  newServiceKey,
  parseSigningKey,
  parseVerifyingKeys,
  type PartName,
} from "../identity/service-keys.codec.ts";

/** Tokens that anybody may make for anybody, good everywhere: for specs of what stands behind the door. */
export function openTokens(): CallerTokens {
  return {
    issue: actorOf,
    identify: (token) => {
      const caller = callerFrom(token);
      if (caller !== undefined) return Promise.resolve(caller);
      return Promise.reject(rejectionError(rejection("unauthenticated", "The caller's token is missing.")));
    },
  };
}

/** A part's tokens under a key, unless told otherwise one that was made for it just now and that it alone knows. */
export function tokensOf(
  part: PartName,
  clock: TokenClock,
  { privateText, publicKey } = newServiceKey(part),
): CallerTokens {
  const signing = parseSigningKey(privateText, part);
  const verifying = parseVerifyingKeys(JSON.stringify({ keys: [publicKey] }));
  return createCallerTokens({ signing: () => signing, verifying: (kid) => verifying.get(kid) }, clock);
}
