import { bankAsProvider, isAskedAbout, paymentAggregate } from "@hostledger/core";
import type { EffectEnd } from "@hostledger/work";

import { hasNews, recordStanding, unanswered, type RecordOptions } from "./payment-standing.ts";
import { atProvider, orderIdOfPayment, type ConfiguredProviders } from "./payment-work.ts";

/**
 * Asks the provider about a payment that the work engine asks about no more, and records what the provider says: money of a payment that
 * failed may still come, and a payment may be charged back late. The work engine then moves the balance. Does nothing to a payment that
 * the engine still asks about. Safe to repeat.
 * @param key name of the payment's stream without the category
 */
export async function askAgain(
  options: ConfiguredProviders & RecordOptions,
  key: string,
): Promise<EffectEnd> {
  const { state: payment } = await options.accounts.commands.load(paymentAggregate, key);
  if (payment.status === "absent" || payment.requested.provider === bankAsProvider) return nobodyToAsk;
  if (isAskedAbout(payment, options.clock.now())) return { outcome: "done", step: "asked by the engine" };
  return atProvider(options, payment.requested.provider, async (provider) => {
    const answer = await provider.inquire(orderIdOfPayment(key));
    if (answer.outcome !== "done") return unanswered(answer);
    return hasNews(answer.value, payment)
      ? recordStanding(options, key, answer.value)
      : { outcome: "done", step: "asked" };
  });
}

/** Bank statements say what became of a transfer. */
const nobodyToAsk: EffectEnd = { outcome: "done", step: "nobody to ask" };
