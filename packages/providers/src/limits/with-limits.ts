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

import type { Compute } from "../compute/compute.port.ts";
import type { Dns } from "../dns/dns.port.ts";
import { refused, unknown, type Outcome } from "../outcome.ts";
import type { PaymentProvider } from "../payment/payments.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";
import type { VatIdRegister } from "../vat/vat-ids.port.ts";

type Provider = Registrar | Dns | Compute | VatIdRegister | PaymentProvider;

export interface CallLimits {
  /** Time limit of a call in milliseconds. A call may wait as long for its turn. */
  readonly timeLimitMs: number;
  /** Maximum concurrent calls. One account has seven eighths of them at most; the rest stays free for others. */
  readonly concurrency: number;
  /** Maximum waiting calls. */
  readonly queue: number;
  /** Stops calls to an unresponsive provider. Default: none. */
  readonly breaker?: CircuitBreaker;
  readonly onSettled?: (call: SettledCall) => void;
}

export interface ProviderCall {
  /** The port's name of the call, such as `register`. */
  readonly name: string;
  /** Name of the domain, zone or server, or the VAT id; empty for a call about all. */
  readonly subject: string;
  /** True for a read whose caller waits; made even while the circuit breaker is open. */
  readonly isQuestion?: boolean;
}

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

/** Wraps a provider with limits on concurrency and time. @param timing clock of the limits; default: the machine's. */
export function withLimits(provider: Registrar, limits: CallLimits, timing?: Timing): Registrar;
export function withLimits(provider: Dns, limits: CallLimits, timing?: Timing): Dns;
export function withLimits(provider: Compute, limits: CallLimits, timing?: Timing): Compute;
export function withLimits(provider: VatIdRegister, limits: CallLimits, timing?: Timing): VatIdRegister;
export function withLimits(provider: PaymentProvider, limits: CallLimits, timing?: Timing): PaymentProvider;
export function withLimits(provider: Provider, limits: CallLimits, timing?: Timing): Provider {
  return throughCalls(provider, limitCalls(limits, timing));
}

/** Calls that read while their caller waits. */
const questions: ReadonlySet<string> = new Set([
  "inquire",
  "inquireRefund",
  "inquireTransfer",
  "inquireZone",
  "listMovements",
  "messages",
  "signers",
]);

/** Answered from the configuration, without a call. */
const configured = "needsRegistrant";

/** Wraps a provider so that another function makes each call. */
export function throughCalls<Kind extends Provider>(provider: Kind, made: LimitedCall): Kind {
  return new Proxy(provider, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...parameters: readonly unknown[]): unknown => {
        if (typeof name !== "string" || name === configured) return Reflect.apply(member, target, parameters);
        const subject = name === "acknowledge" ? "" : subjectOf(parameters[0]);
        return made({ name, subject, isQuestion: questions.has(name) }, async () => {
          const answer: unknown = await Reflect.apply(member, target, parameters);
          if (isOutcome(answer)) return answer;
          throw new TypeError(`${name} of a provider returned no outcome`);
        });
      };
    },
  });
}

/** Returns the name that a call's first parameter is or has; empty for a call about all. */
function subjectOf(first: unknown): string {
  if (typeof first === "string") return first;
  const isNamed = typeof first === "object" && first !== null && "name" in first;
  return isNamed && typeof first.name === "string" ? first.name : "";
}

function isOutcome(answer: unknown): answer is AnyOutcome {
  return typeof answer === "object" && answer !== null && "outcome" in answer;
}

/**
 * Limits the calls to one provider. Every call resolves: a call that times out or throws is `unknown`, because it may
 * have been carried out; a call that was not made, for lack of a turn or by the circuit breaker, is refused. Retries
 * are left to the process.
 */
function limitCalls(
  { timeLimitMs, concurrency, queue, breaker, onSettled }: CallLimits,
  timing: Timing = realTiming,
): LimitedCall {
  const permitsPerOwner = Math.ceil((concurrency * 7) / 8);
  const semaphore = new Semaphore({ permits: concurrency, waiting: queue, permitsPerOwner });
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
    if (pass !== undefined) countOutcome(pass, answer);
    const seconds = (timing.monotonicMilliseconds() - askedAtMs) / 1_000;
    const reason = "reason" in answer ? answer.reason : undefined;
    onSettled?.({ call: call.name, outcome: answer.outcome, seconds, ...defined({ reason }) });
    return answer;
  };
}

/** Reports the outcome to the circuit breaker; a refusal counts as an answer. */
function countOutcome(pass: CircuitPass, answer: AnyOutcome): void {
  if (answer === tooBusy) pass.withdrawn();
  else if (answer.outcome === "unknown" || answer.reason === "unreachable") pass.unanswered();
  else pass.answered();
}

const tooBusy = refused("unreachable", "Too many calls are waiting; this one was not made.");

const answersNobody = refused(
  "unreachable",
  "The provider does not answer at present; this call was not made.",
);
