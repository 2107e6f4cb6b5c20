import { Backoff } from "@hostledger/runtime/async";

import type { AppendLimits } from "./append-retry.ts";
import type { BufferLimits } from "./buffered-reader.ts";

/** Bounds of a store on EventStoreDB. Tests make them short. */
export interface EventStoreDbLimits extends AppendLimits, BufferLimits {
  /** Events of one request of a reading. */
  readonly pageEvents: number;
  /** Milliseconds without a message after which a reading, or a subscription that catches up, is begun anew. */
  readonly silenceMs: number;
  /** Events of one batch of a subscription. */
  readonly batchEvents: number;
  /** Events left out by a subscription's filter after which the server tells its position. */
  readonly checkpointEvents: number;
  /** Milliseconds that `close` waits for appends that are under way. */
  readonly closeMs: number;
}

/**
 * What is tried again outlasts a server that is frozen for 10 s and one that is away for 15 s, with some seconds to start in:
 * a frozen one is noticed by gRPC's keep-alive after 20 s at most.
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

/** The pauses between attempts to reach the server. */
export function createBackoff(
  limits: Pick<AppendLimits, "firstPauseMs" | "longestPauseMs" | "overallMs">,
): Backoff {
  const { firstPauseMs, longestPauseMs, overallMs } = limits;
  return new Backoff({ firstMs: firstPauseMs, longestMs: longestPauseMs, overallMs });
}
