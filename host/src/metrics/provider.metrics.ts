import type { SettledCall } from "@hostledger/providers";
import type { Metrics } from "@hostledger/runtime";

/** Registers what is told of the parties outside. @returns what is told of every call to one of them */
export function meterProviders(
  metrics: Metrics,
): (provider: "registrar" | "dns" | "compute") => (call: SettledCall) => void {
  const durations = metrics.histogram("hostledger_provider_call_seconds", "Calls to the parties outside.", [
    "provider",
    "call",
    "outcome",
  ]);
  return (provider) =>
    ({ call, outcome, reason, seconds }) => {
      durations.observe({ provider, call, outcome: reason ?? outcome }, seconds);
    };
}
