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

/** Maximum requests in one call of Stripe's adapter, each with the time limit of a call. */
const stripeRequests = 4;

/**
 * Opens the payment providers; undefined where none is configured. Stripe with a key is asked about the payments that customers made
 * through Stripe, also after another provider, or none, takes new payments.
 * @throws ConfigurationError the provider lacks settings.
 */
export function openPayments(
  configuration: Configuration,
  { clock, breakers }: Pick<ServiceContext, "clock" | "breakers">,
  providers: () => Providers,
): PaymentOptions | undefined {
  const mistakes = stripeMistakes(configuration);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  const { payments, paymentOrigins: returnOrigins } = configuration;
  const limited = (opened: PaymentProvider, calls = 1): PaymentProvider => {
    const timeLimitMs = configuration.providerTimeoutMs * calls;
    const breaker = breakers.open(opened.name === payments ? "payments" : "payments-before", timeLimitMs);
    const limits: CallLimits = { timeLimitMs, concurrency, queue, breaker };
    return withLimits(opened, limits, clock);
  };
  const options = stripeOptions(configuration, clock);
  const stripe = options && limited(new StripePayments(options), stripeRequests);
  if (payments === "none" && stripe === undefined) return undefined;
  const notices = openNotices(configuration, clock);
  if (payments === "stripe") return { provider: stripe, returnOrigins, ...defined({ notices }) };
  // The sandbox's file is opened only where it is used.
  const provider = payments === "sandbox" ? limited(providers().sandbox.payments) : undefined;
  return { provider, formerProvider: stripe, returnOrigins, ...defined({ notices }) };
}

/** Opens Stripe, where it is configured and lacks nothing. */
export function openStripe(configuration: Configuration, clock: Clock): StripePayments | undefined {
  const options = configuration.payments === "stripe" ? stripeOptions(configuration, clock) : undefined;
  return options && new StripePayments(options);
}

/** Returns a sentence for each setting that Stripe lacks. */
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
  const { paymentOrigins, stripeSecretKey: secretKey, stripeUrl } = configuration;
  const [homeUrl] = paymentOrigins;
  if (secretKey === undefined || homeUrl === undefined) return undefined;
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
