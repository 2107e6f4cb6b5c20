import { Backoff } from "@hostledger/runtime/async";

import type { AppendLimits } from "./append-retry.ts";
import type { BufferLimits } from "./buffered-reader.ts";

/** Limits of a store on EventStoreDB. Tests shorten them. */
export interface EventStoreDbLimits extends AppendLimits, BufferLimits {
  /** Events per request of a read. */
  readonly pageEvents: number;
  /** Milliseconds without a message after which a read or a catching-up subscription starts again. */
  readonly silenceMs: number;
  /** Maximum events in a batch of a subscription. */
  readonly batchEvents: number;
  /** Filtered events after which the server sends its position. */
  readonly checkpointEvents: number;
  /** Milliseconds for which `close` waits for appends in flight. */
  readonly closeMs: number;
}

/**
 * Retries last longer than a server that freezes for 10 s or is away for 15 s, plus its start. gRPC's keep-alive
 * notices a frozen server within 20 s.
 */
export const defaultLimits: EventStoreDbLimits = {
  inFlight: 256,
  inFlightBytes: 16 * 1_048_576,
  waiting: 10_000,
  waitingBytes: 64 * 1_048_576,
  answerMs: 5_000,
  overallMs: 45_000,
  firstPauseMs: 50,
  longestPauseMs: 1_000,
  bufferedMessages: 4_096,
  bufferedBytes: 8 * 1_048_576,
  pageEvents: 4_096,
  silenceMs: 10_000,
  batchEvents: 1_000,
  checkpointEvents: 32,
  closeMs: 10_000,
};

/** Pauses between attempts to reach the server. */
export function createBackoff(
  limits: Pick<AppendLimits, "firstPauseMs" | "longestPauseMs" | "overallMs">,
): Backoff {
  const { firstPauseMs, longestPauseMs, overallMs } = limits;
  return new Backoff({ firstMs: firstPauseMs, longestMs: longestPauseMs, overallMs });
}
