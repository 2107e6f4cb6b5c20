import {
  asLine,
  longestPaymentUrl,
  paymentAggregate,
  type PaymentCommand,
  type PaymentState,
} from "@hostledger/core";
import type { PaymentOutcome, PaymentStanding, Settlement } from "@hostledger/providers";
import { endOf, type EffectEnd } from "@hostledger/work";

import { contextOf, type PaymentWorkOptions } from "./payment-work.ts";
import { recordStoredMethod } from "./stored-method.effects.ts";

/** Records what the payment provider says about a payment. */

export type RecordOptions = Pick<PaymentWorkOptions, "accounts" | "clock" | "methodIds">;

/** Pause between the order and the first question, in milliseconds. */
const payingMs = 2_000;

/** Maximum characters of a provider's words in an event. */
export const longestWords = 500;

/** The end of an effect whose answer is uncertain. */
export function unanswered({
  message,
}: {
  readonly message: string;
}): Extract<EffectEnd, { readonly outcome: "failed" }> {
  return {
    outcome: "failed",
    reason: asLine(message, longestWords, "no answer"),
    code: "payment-unavailable",
  };
}

/** Returns true if the provider says more than the payment's stream has. */
export function hasNews({ state }: PaymentStanding, { status }: PaymentState): boolean {
  if (status === "settled") return state === "returned";
  if (status === "failed") return state === "settled" || state === "returned";
  if (status === "returned") return false;
  return state === "settled" || state === "failed" || state === "returned";
}

/** Records how a provider answered an order. @param isUncertain true if an earlier order may have reached it */
export async function recordAnswer(
  options: RecordOptions,
  key: string,
  answer: PaymentOutcome,
  isUncertain: boolean,
): Promise<EffectEnd> {
  switch (answer.outcome) {
    case "done":
      return recordSettlement(options, key, answer.value);
    case "pending":
      return recordStanding(options, key, { state: "pending", redirectUrl: answer.redirectUrl });
    case "unknown":
      return unanswered(answer);
    case "refused": {
      const { reason, message } = answer;
      if (reason === "unreachable" && isUncertain) return unanswered(answer);
      const because = reason === "declined" || reason === "mandate-revoked" ? reason : "refused";
      return recordStanding(options, key, { state: "failed", because, message });
    }
  }
}

export async function recordStanding(
  options: RecordOptions,
  key: string,
  standing: PaymentStanding,
): Promise<EffectEnd> {
  const at = options.clock.now();
  switch (standing.state) {
    case "none":
      return unanswered({ message: "The provider does not know the payment any more." });
    case "pending": {
      const { redirectUrl } = standing;
      if (!isPage(redirectUrl)) return unanswered({ message: "The provider's page is no web address." });
      const opened = { type: "RecordPaymentOpened", data: { redirectUrl, at } } as const;
      const end = await record(options, key, opened, "opened");
      // The customer pays first.
      return end.outcome === "done" ? { ...end, againAfterMs: payingMs } : end;
    }
    case "settled":
      return recordSettlement(options, key, standing.settlement);
    case "failed": {
      const reason = asLine(standing.message, longestWords, "no reason was given");
      const data = { because: standing.because, reason, at };
      return record(options, key, { type: "RecordPaymentFailed", data }, "failed");
    }
    case "returned": {
      // What came is recorded before it went, also if nobody asked in between.
      const settled = await recordSettlement(options, key, standing.settlement);
      if (settled.outcome === "failed") return settled;
      const { amountCents, feeCents = 0n, valueDate, message } = standing;
      const reason = asLine(message, longestWords, "no reason was given");
      const data = { reason, amountCents, feeCents, valueDate, at };
      return record(options, key, { type: "RecordPaymentReturned", data }, "returned");
    }
  }
}

/** Empty, or an address that a browser opens. */
function isPage(url: string): boolean {
  return url === "" || (url.length <= longestPaymentUrl && /^https?:\/\//.test(url) && URL.canParse(url));
}

async function recordSettlement(
  options: RecordOptions,
  key: string,
  { amountCents, feeCents, providerReference, valueDate, storedMethod }: Settlement,
): Promise<EffectEnd> {
  if (!/^[\x21-\x7e]{1,200}$/.test(providerReference))
    return unanswered({ message: "The provider's reference has other characters than an identifier." });
  // The method comes first: a settled payment is not asked about it again.
  if (storedMethod !== undefined) await recordStoredMethod(options, key, storedMethod);
  const data = { amountCents, feeCents, providerReference, valueDate, at: options.clock.now() };
  return record(options, key, { type: "RecordPaymentSettled", data }, "settled");
}

async function record(
  { accounts }: RecordOptions,
  key: string,
  command: PaymentCommand,
  step: string,
): Promise<EffectEnd> {
  return endOf(await accounts.commands.execute(paymentAggregate, key, command, contextOf(key, step)), step);
}
