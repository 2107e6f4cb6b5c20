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

/** How much is asked of an outside provider at a time, and how long an answer is waited for. */
export interface CallLimits {
  /** How long a call may take, counted from when it is made. A call may wait as long again for its turn. */
  readonly timeLimitMs: number;
  /** So many calls are under way at the same time. */
  readonly concurrency: number;
  /** So many more may wait for their turn. */
  readonly queue: number;
  /** Keeps calls from a provider that answers nobody. Default: every call is made. */
  readonly breaker?: CircuitBreaker;
  /** Told of every call, when it has settled. */
  readonly onSettled?: (call: SettledCall) => void;
}

/** What is asked. */
export interface ProviderCall {
  /** The port's name of it, for example `register`. */
  readonly name: string;
  /** The name of the domain, zone or server; empty for a call about all of them. */
  readonly subject: string;
  /** Asks only, on behalf of work that waits for the answer: made although the provider is silent. */
  readonly isQuestion?: boolean;
}

/** A call that is over. */
export interface SettledCall {
  /** The port's name of it, for example `register`. */
  readonly call: string;
  readonly outcome: string;
  /** The refusal's reason. */
  readonly reason?: string;
  /** From the asking to the answer, the wait for a turn included. */
  readonly seconds: number;
}

/** Makes a call within the limits. The promise always resolves: with the call's own outcome, or with one that has no value. */
export type LimitedCall = <Answer extends AnyOutcome>(
  call: ProviderCall,
  make: () => Promise<Answer>,
) => Promise<Answer | Outcome<never>>;

/** What every answer of a provider has. */
interface AnyOutcome {
  readonly outcome: string;
  readonly reason?: string;
}

/**
 * Limits the calls to one provider. Whatever the provider does, every call settles: one that takes too long or fails in an
 * unforeseen way is `unknown`, since it may have been carried out; one that never got its turn, or was not made since the
 * provider answers nobody, is refused, since nothing was sent. Trying again is the process's own affair.
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
        // Behind calls that all run into their time limit, a long queue would keep the last ones for minutes.
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

/** A refusal is an answer, too. */
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
