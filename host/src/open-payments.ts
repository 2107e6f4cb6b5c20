import type { PaymentOptions } from "@hostledger/account-service";
import {
  StripeNotices,
  StripePayments,
  withLimits,
  type CallLimits,
  type PaymentNotices,
  type PaymentProvider,
  type StripeOptions,
} from "@hostledger/providers";
import { ConfigurationError, defined, type Clock } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import type { Providers } from "./open-providers.ts";
import type { ServiceContext } from "./service-context.ts";

/** Calls to the payment provider at a time, and calls that may wait. */
const concurrency = 16;
const queue = 256;

/** One call of Stripe's adapter may make so many requests, each with the time limit of a call. */
const stripeRequests = 4;

/**
 * Opens the payment provider; undefined where customers cannot pay by themselves.
 * @throws ConfigurationError the provider lacks settings.
 */
export function openPayments(
  configuration: Configuration,
  { clock, breakers }: Pick<ServiceContext, "clock" | "breakers">,
  providers: () => Providers,
): PaymentOptions | undefined {
  if (configuration.payments === "none") return undefined;
  const mistakes = stripeMistakes(configuration);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  const stripe = stripeOptions(configuration, clock);
  const timeLimitMs = configuration.providerTimeoutMs * (stripe === undefined ? 1 : stripeRequests);
  const breaker = breakers.open("payments", timeLimitMs);
  const limits: CallLimits = { timeLimitMs, concurrency, queue, breaker };
  // The sandbox's file is opened only where it is used.
  const provider: PaymentProvider =
    stripe === undefined ? providers().sandbox.payments : new StripePayments(stripe);
  return {
    provider: withLimits(provider, limits, clock),
    returnOrigins: configuration.paymentOrigins,
    ...defined({ notices: openNotices(configuration, clock) }),
  };
}

/** Opens Stripe, where it is configured and lacks nothing. */
export function openStripe(configuration: Configuration, clock: Clock): StripePayments | undefined {
  const options = stripeOptions(configuration, clock);
  return options && new StripePayments(options);
}

/** What Stripe lacks to be opened, a sentence for each setting. */
export function stripeMistakes(configuration: Configuration): readonly string[] {
  const { payments, paymentOrigins, stripeSecretKey } = configuration;
  if (payments !== "stripe") return [];
  return [
    ...(stripeSecretKey === undefined
      ? [
          "HOSTLEDGER_STRIPE_SECRET_KEY (or _SECRET_KEY_FILE) must be set, since HOSTLEDGER_PAYMENTS is stripe.",
        ]
      : []),
    ...(paymentOrigins.length === 0
      ? [
          "HOSTLEDGER_PAYMENT_ORIGINS must name the site to which customers return, since HOSTLEDGER_PAYMENTS is stripe.",
        ]
      : []),
  ];
}

function stripeOptions(configuration: Configuration, clock: Clock): StripeOptions | undefined {
  const { payments, paymentOrigins, stripeSecretKey: secretKey, stripeUrl } = configuration;
  const [homeUrl] = paymentOrigins;
  if (payments !== "stripe" || secretKey === undefined || homeUrl === undefined) return undefined;
  const timeLimitMs = configuration.providerTimeoutMs;
  return { url: new URL(stripeUrl), secretKey, timeLimitMs, clock, homeUrl: `${homeUrl}/` };
}

function openNotices(configuration: Configuration, clock: Clock): PaymentNotices | undefined {
  const options = stripeOptions(configuration, clock);
  const { stripeWebhookSecret: webhookSecret } = configuration;
  return options && webhookSecret !== undefined
    ? new StripeNotices({ ...options, webhookSecret })
    : undefined;
}
