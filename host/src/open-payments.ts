import type { PaymentOptions } from "@hostledger/account-service";
import { withLimits, type CallLimits } from "@hostledger/providers";

import type { Configuration } from "./configuration/index.ts";
import type { Providers } from "./open-providers.ts";
import type { ServiceContext } from "./service-context.ts";

/** Calls to the payment provider at a time, and calls that may wait. */
const concurrency = 16;
const queue = 256;

/** Opens the payment provider; undefined where customers cannot pay by themselves. */
export function openPayments(
  configuration: Configuration,
  { clock, breakers }: Pick<ServiceContext, "clock" | "breakers">,
  providers: () => Providers,
): PaymentOptions | undefined {
  if (configuration.payments === "none") return undefined;
  const timeLimitMs = configuration.providerTimeoutMs;
  const breaker = breakers.open("payments", timeLimitMs);
  const limits: CallLimits = { timeLimitMs, concurrency, queue, breaker };
  return {
    provider: withLimits(providers().sandbox.payments, limits, clock),
    returnOrigins: configuration.paymentOrigins,
  };
}
