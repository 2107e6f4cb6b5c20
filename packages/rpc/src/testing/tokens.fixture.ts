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

/** Creates tokens for any caller that are valid everywhere, for specs behind the authentication. */
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

/** Creates a part's tokens. Default: with a new key that nobody else knows. */
export function tokensOf(
  part: PartName,
  clock: TokenClock,
  { privateText, publicKey } = newServiceKey(part),
): CallerTokens {
  const signing = parseSigningKey(privateText, part);
  const verifying = parseVerifyingKeys(JSON.stringify({ keys: [publicKey] }));
  return createCallerTokens({ signing: () => signing, verifying: (kid) => verifying.get(kid) }, clock);
}
