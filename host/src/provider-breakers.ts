import type { Clock, Metrics } from "@hostledger/runtime";
import { CircuitBreaker, type CircuitState } from "@hostledger/runtime/async";

/** The breakers of the providers that this process calls. */
export interface ProviderBreakers {
  /**
   * Makes the breaker of a provider.
   *
   * @param timeLimitMs how long one of its calls may take: a provider that answered nobody for so long is silent.
   */
  open(provider: string, timeLimitMs: number): CircuitBreaker;
  /** By provider, in the order in which they were made. */
  states(): readonly (readonly [provider: string, state: CircuitState])[];
}

/** With fewer names that got no answer, the trouble may be theirs: a registry that is well leaves single orders unanswered. */
const subjects = 5;

/** Short: a call that comes after it, and any question, finds out that the provider is back. In milliseconds. */
const pauseMs = 1_000;

/** From calling to not calling. */
const values: Readonly<Record<CircuitState, number>> = { closed: 0, "half-open": 1, open: 2 };

/** Shows them as `hostledger_provider_breaker_state`. */
export function createProviderBreakers(metrics: Metrics, clock: Clock): ProviderBreakers {
  const breakers = new Map<string, CircuitBreaker>();
  const states = (): readonly (readonly [string, CircuitState])[] =>
    [...breakers].map(([provider, { state }]) => [provider, state]);
  metrics.gauges(
    "hostledger_provider_breaker_state",
    "Whether a provider is called: 0 it is (closed), 1 one call finds out whether it answers (half-open), 2 it is not (open).",
    ["provider"],
    () => states().map(([provider, state]) => ({ labels: { provider }, value: values[state] })),
  );
  return {
    open(provider, timeLimitMs) {
      const breaker = new CircuitBreaker({ subjects, silentMs: timeLimitMs, pauseMs }, clock);
      breakers.set(provider, breaker);
      return breaker;
    },
    states,
  };
}
