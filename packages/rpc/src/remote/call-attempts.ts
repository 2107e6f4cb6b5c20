import { Code, ConnectError } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { Backoff, monotonicMilliseconds, retry } from "@hostledger/runtime/async";
import { RejectionSchema } from "@hostledger/protocol";

import { rejectionError } from "../errors/rejection-error.ts";
import { openCallScope } from "../transport/call-scope.ts";
import type { PeerConnection } from "./peer-connection.ts";
import type { Peers } from "./peers.ts";
import { codesOf, ConnectionError, NotSentError } from "./connection-failure.ts";

/** Limits of the calls to one service; times in milliseconds. */
export interface CallLimits {
  /** Calls and streams that may run at one time; one more is refused as `overloaded`. */
  readonly callsInFlight: number;
  /** Maximum attempts of a call within its time limit. */
  readonly attempts: number;
  /** The first pause before another attempt; each later one is longer, by chance up to `longestPauseMs`. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export interface Attempt {
  readonly connection: PeerConnection;
  /** Aborts when the caller gives up, and when the call's time is over. */
  readonly signal: AbortSignal;
  /** Remaining time of the call, in whole milliseconds. */
  readonly leftMs: number;
}

/**
 * Whether a call with unknown outcome may be sent again: `no`; `reads`, because it changes nothing; or `changes`,
 * because the service recognises the repeated operation.
 */
export type Repetition = "no" | "reads" | "changes";

/** An attempt that may be followed by another. */
class RepeatableFailure extends Error {}

/** Repeats calls until they are answered or their time is over. */
export class CallAttempts {
  readonly #peers: Peers;
  readonly #limits: CallLimits;
  #inFlight = 0;

  constructor(peers: Peers, limits: CallLimits) {
    this.#peers = peers;
    this.#limits = limits;
  }

  /**
   * Makes a unary call. If an attempt at a change was lost, the change may still be in progress; a refusal by
   * another peer is then rejected as one to try again.
   * @throws ConnectError the peer's answer; DeadlineExceeded or Canceled; a rejection if there was no answer.
   */
  async unary<Answer>(
    repetition: Repetition,
    caller: AbortSignal | undefined,
    limitMs: number,
    send: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Answer> {
    const leave = this.#enter();
    const scope = openCallScope(caller, { limitMs, reason: timedOut });
    const endsAtMs = monotonicMilliseconds() + limitMs;
    let failed: string | undefined;
    let mayBeUnderWay = false;
    const attempt = async (): Promise<Answer> => {
      scope.signal.throwIfAborted();
      try {
        const connection = await this.#peers.connection(failed);
        failed = connection.authority;
        // Connect's header has whole milliseconds.
        const leftMs = Math.max(1, Math.ceil(endsAtMs - monotonicMilliseconds()));
        return await send({ connection, signal: scope.signal, leftMs });
      } catch (error) {
        const failure = scope.signal.aborted ? "answered" : failureOf(error);
        const isLost = failure === "lost" && repetition !== "no";
        if (isLost || failure === "not-sent") {
          mayBeUnderWay ||= isLost && repetition === "changes";
          throw new RepeatableFailure("", { cause: error });
        }
        throw mayBeUnderWay && !scope.signal.aborted ? unanswered(error) : error;
      }
    };
    try {
      return await scope.race(this.#repeated(attempt, scope.signal));
    } catch (error) {
      throw connectErrorOf(error instanceof RepeatableFailure ? error.cause : error, scope.signal);
    } finally {
      scope.close();
      leave();
    }
  }

  #repeated<Answer>(attempt: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const { attempts, firstPauseMs, longestPauseMs } = this.#limits;
    const backoff = new Backoff({ firstMs: firstPauseMs, longestMs: longestPauseMs });
    return retry(attempt, {
      backoff,
      attempts,
      signal,
      mayPass: (error) => error instanceof RepeatableFailure,
    });
  }

  /** Opens a stream, once, and hands its messages on. @throws ConnectError as `unary` does, also midway. */
  async stream<Response extends { readonly message: AsyncIterable<unknown> }>(
    caller: AbortSignal | undefined,
    open: (connection: PeerConnection) => Promise<Response>,
  ): Promise<{
    readonly response: Response;
    readonly guard: <T>(messages: AsyncIterable<T>) => AsyncGenerator<T>;
  }> {
    const leave = this.#enter();
    try {
      const response = await open(await this.#peers.connection());
      // A caller that leaves a stream early aborts its signal, because Connect does not notify the iterator.
      caller?.addEventListener("abort", leave, { once: true });
      return { response, guard: (messages) => guarded(messages, caller, leave) };
    } catch (error) {
      leave();
      throw connectErrorOf(error, caller);
    }
  }

  /** Counts a call. @returns the function that counts it off, once. */
  #enter(): () => void {
    if (this.#inFlight >= this.#limits.callsInFlight)
      throw rejectionError(rejection("overloaded", undefined, { retryAfterSeconds: 1 }));
    this.#inFlight += 1;
    let inside = true;
    return () => {
      if (inside) this.#inFlight -= 1;
      inside = false;
    };
  }
}

async function* guarded<T>(
  messages: AsyncIterable<T>,
  caller: AbortSignal | undefined,
  leave: () => void,
): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw connectErrorOf(error, caller);
  } finally {
    leave();
  }
}

function timedOut(): ConnectError {
  return new ConnectError("the operation timed out", Code.DeadlineExceeded);
}

function connectErrorOf(error: unknown, caller: AbortSignal | undefined): ConnectError {
  if (caller?.aborted === true || failureOf(error) === "answered") return ConnectError.from(error);
  return unanswered(error);
}

/** Creates the rejection of an unanswered call; its cause is for logs only. */
function unanswered(cause: unknown): ConnectError {
  const sentence = "A part of the service could not be reached, or went away before it answered.";
  const refusal = rejection("temporarily-unavailable", sentence, { retryAfterSeconds: 1 });
  return Object.assign(rejectionError(refusal), { cause });
}

/**
 * Failure of a call. `answered`: the peer refused, or the call itself is invalid. `not-sent`: no peer got the call.
 * `lost`: a peer got the call, then disconnected or rejected it; the outcome is unknown.
 */
type CallFailure = "answered" | "not-sent" | "lost";

/** RFC 9113 §8.7: a stream that was refused, or that is beyond the last one of a GOAWAY, was not processed at all. */
const refusedStream = "REFUSED_STREAM";
/** Connect's words for a stream that the other side reset. */
const resetStream = "http/2 stream closed with error code";
/** Connect's words for an answer that ended before its announced length: the peer went in the middle. */
const cutAnswer = "protocol error: promised";

/** Classifies an error. The caller must first check whether it was cancelled itself. */
function failureOf(error: unknown): CallFailure {
  if (error instanceof ConnectionError || error instanceof NotSentError) return "not-sent";
  if (!(error instanceof ConnectError)) return "answered";
  if (error.cause instanceof NotSentError) return "not-sent";
  if (error.cause instanceof ConnectionError) return "lost";
  if (error.findDetails(RejectionSchema).length > 0) return "answered";
  // An answer of a peer has headers; a transport error has none.
  const isFromPeer = error.metadata.keys().next().done !== true;
  if (isFromPeer) return error.code === Code.Unavailable ? "lost" : "answered";
  if (error.rawMessage.includes(refusedStream)) return "not-sent";
  return isOfConnection(error) ? "lost" : "answered";
}

/** Connect has no code for a broken connection, and reports canceled, aborted or internal. */
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
