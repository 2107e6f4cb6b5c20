import type { SettledCall } from "@hostledger/providers";
import type { Metrics, Tracing } from "@hostledger/runtime";

/** Registers what is told of the providers, and traces their calls. @returns what is told of every call to one of them */
export function watchProviders(
  metrics: Metrics,
  tracing: Tracing | undefined,
): (provider: "registrar" | "dns" | "compute") => (call: SettledCall) => void {
  const durations = metrics.histogram("hostledger_provider_call_seconds", "Calls to the parties outside.", [
    "provider",
    "call",
    "outcome",
  ]);
  return (provider) =>
    ({ call, outcome, reason, seconds }) => {
      const result = reason ?? outcome;
      durations.observe({ provider, call, outcome: result }, seconds);
      tracing?.record(`${provider} ${call}`, {
        kind: "client",
        attributes: { "hostledger.provider": provider, "hostledger.outcome": result },
        seconds,
        isFailed: outcome === "unknown",
      });
    };
}
