import type { ConnectError } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";

/** The rejection of a call that got no answer; what is known of the reason is its cause, for logs only. */
export function unanswered(cause: unknown): ConnectError {
  const sentence = "A part of the service could not be reached, or went away before it answered.";
  const refusal = rejection("temporarily-unavailable", sentence, { retryAfterSeconds: 1 });
  return Object.assign(rejectionError(refusal), { cause });
}
