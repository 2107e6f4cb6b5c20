import { defined } from "@hostledger/runtime";
import {
  realTiming,
  Semaphore,
  SemaphoreFullError,
  within,
  type CircuitBreaker,
  type CircuitPass,
  type Timing,
} from "@hostledger/runtime/async";

import { refused, unknown, type Outcome } from "../outcome.ts";

export interface CallLimits {
  /** Time limit of a call in milliseconds. A call may wait as long for its turn. */
  readonly timeLimitMs: number;
  /** Maximum concurrent calls. */
  readonly concurrency: number;
  /** Maximum waiting calls. */
  readonly queue: number;
  /** Stops calls to an unresponsive provider. Default: none. */
  readonly breaker?: CircuitBreaker;
  readonly onSettled?: (call: SettledCall) => void;
}

/** A call with its subject. */
export interface ProviderCall {
  /** The port's name of the call, such as `register`. */
  readonly name: string;
  /** Name of the domain, zone or server; empty for a call about all. */
  readonly subject: string;
  /** True for a read whose caller waits; made even while the circuit breaker is open. */
  readonly isQuestion?: boolean;
}

/** A finished call. */
export interface SettledCall {
  /** The port's name of the call, such as `register`. */
  readonly call: string;
  readonly outcome: string;
  /** Reason of a refusal. */
  readonly reason?: string;
  /** Duration including the wait for a turn. */
  readonly seconds: number;
}

/** Makes a call within the limits. Always resolves, with the call's outcome or a refusal. */
export type LimitedCall = <Answer extends AnyOutcome>(
  call: ProviderCall,
  make: () => Promise<Answer>,
) => Promise<Answer | Outcome<never>>;

interface AnyOutcome {
  readonly outcome: string;
  readonly reason?: string;
}

/**
 * Limits the calls to one provider. Every call resolves: a call that times out or throws is `unknown`, because it may
 * have been carried out; a call that was not made, for lack of a turn or by the circuit breaker, is refused. Retries
 * are left to the process.
 */
export function limitCalls(
  { timeLimitMs, concurrency, queue, breaker, onSettled }: CallLimits,
  timing: Timing = realTiming,
): LimitedCall {
  const semaphore = new Semaphore({ permits: concurrency, waiting: queue });
  const settle = async <Answer extends AnyOutcome>(
    askedAtMs: number,
    make: () => Promise<Answer>,
  ): Promise<Answer | Outcome<never>> => {
    try {
      return await semaphore.run(() => {
        // Limits the wait too, because behind calls that all time out a long queue would take minutes.
        if (timing.monotonicMilliseconds() - askedAtMs > timeLimitMs) return Promise.resolve(tooBusy);
        return within(
          timeLimitMs,
          make(),
          () => unknown(`No answer came within ${String(timeLimitMs)} ms.`),
          timing,
        );
      });
    } catch (error) {
      if (error instanceof SemaphoreFullError) return tooBusy;
      return unknown(`The call failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return async (call, make) => {
    const askedAtMs = timing.monotonicMilliseconds();
    const pass = breaker?.enter(call.subject, call.isQuestion);
    const isKept = breaker !== undefined && pass === undefined;
    const answer = isKept ? answersNobody : await settle(askedAtMs, make);
    if (pass !== undefined) tell(pass, answer);
    const seconds = (timing.monotonicMilliseconds() - askedAtMs) / 1_000;
    const reason = "reason" in answer ? answer.reason : undefined;
    onSettled?.({ call: call.name, outcome: answer.outcome, seconds, ...defined({ reason }) });
    return answer;
  };
}

/** Reports the outcome to the circuit breaker; a refusal counts as an answer. */
function tell(pass: CircuitPass, answer: AnyOutcome): void {
  if (answer === tooBusy) pass.withdrawn();
  else if (answer.outcome === "unknown" || answer.reason === "unreachable") pass.unanswered();
  else pass.answered();
}

const tooBusy = refused("unreachable", "Too many calls are waiting; this one was not made.");

const answersNobody = refused(
  "unreachable",
  "The provider answers nobody at present; this call was not made.",
);
