import { Code, ConnectError } from "@connectrpc/connect";
import { RejectionSchema } from "@hostledger/protocol";

import { codesOf, ConnectionError, NotSentError } from "./connection-failure.ts";

/**
 * How a call failed. `answered`: the peer said no, or the call itself is at fault. `not-sent`: no peer has seen it.
 * `lost`: the peer was sent the call and went away or would not take it; nobody here knows what became of it.
 */
export type CallFailure = "answered" | "not-sent" | "lost";

/** RFC 9113 §8.7: a stream that was refused, or that is beyond the last one of a GOAWAY, was not processed at all. */
const refusedStream = "REFUSED_STREAM";
/** Connect's words for a stream that the other side reset. */
const resetStream = "http/2 stream closed with error code";
/** Connect's words for an answer that ended before its announced length: the peer went in the middle. */
const cutAnswer = "protocol error: promised";

/** Tells how a call failed by what was thrown. Whether the caller itself has left is to be looked for before. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof ConnectionError || error instanceof NotSentError) return "not-sent";
  if (!(error instanceof ConnectError)) return "answered";
  if (error.cause instanceof NotSentError) return "not-sent";
  if (error.cause instanceof ConnectionError) return "lost";
  if (error.findDetails(RejectionSchema).length > 0) return "answered";
  // What a peer answers has its headers; what happens on the way to it has none.
  const isFromPeer = error.metadata.keys().next().done !== true;
  if (isFromPeer) return error.code === Code.Unavailable ? "lost" : "answered";
  if (error.rawMessage.includes(refusedStream)) return "not-sent";
  return isOfConnection(error) ? "lost" : "answered";
}

/** Connect has no code of its own for a broken connection: it says canceled, aborted or internal, by what it saw. */
function isOfConnection(error: ConnectError): boolean {
  switch (error.code) {
    case Code.Unavailable:
    case Code.Aborted:
    case Code.Canceled:
      return true;
    default:
      return (
        error.rawMessage.startsWith(resetStream) ||
        error.rawMessage.startsWith(cutAnswer) ||
        codesOf(error.cause).length > 0
      );
  }
}
