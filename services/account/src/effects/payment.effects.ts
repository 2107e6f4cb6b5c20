import {
  accountAggregate,
  addMilliseconds,
  asLine,
  longestPaymentUrl,
  nextOfPayment,
  openPaymentDays,
  paymentAggregate,
  type PaymentCommand,
  type PaymentEffect,
  type PaymentState,
} from "@hostledger/core";
import type { PaymentOutcome, PaymentStanding, Settlement } from "@hostledger/providers";
import { defined } from "@hostledger/runtime";
import { endOf, workKind, type AnyWorkKind, type EffectEnd } from "@hostledger/work";

import { tellOf, tellOncePerDay } from "./failing-work.ts";
import { postponed, postponedMs, retry } from "./pauses.ts";
import { balanceEffects } from "./payment-balance.effects.ts";
import {
  contextOf,
  orderIdOfPayment,
  requestedOf,
  type PaymentWorkOptions,
  type Requested,
  type WorkedKey,
} from "./payment-work.ts";
import { paymentKind } from "../reads/account.tables.ts";
import { failedRefund, refundEffects } from "./refund.effects.ts";
import { findPayingMethod, recordStoredMethod } from "./stored-method.effects.ts";

/** Pause between the order and the first question, in milliseconds. */
const payingMs = 2_000;

/** Time after a request in which an order may still reach the provider, in milliseconds. */
const quietMs = 3_600_000;

/** Maximum characters of a provider's words in an event. */
const longestWords = 500;

/** How a payment ends that its provider never ends. */
const expired: PaymentStanding = {
  state: "failed",
  because: "expired",
  message: `The payment was not made within ${String(openPaymentDays)} days.`,
};

/**
 * Returns the work on payments: orders them, asks what became of them, and moves the balance by what came. Its keys are the names of
 * their streams without the category. Every effect is safe to repeat.
 */
export function paymentWork(options: PaymentWorkOptions): AnyWorkKind {
  const { accounts, isTimeTrusted, provider, refusesWrites } = options;
  return workKind<WorkedKey, PaymentEffect>({
    name: paymentKind,
    // Money that comes is credited whatever the clock says.
    needsTrustedTime: false,
    async load(key) {
      const { state: payment } = await accounts.commands.load(paymentAggregate, key);
      if (payment.status === "absent") return undefined;
      const { state: account } = await accounts.commands.load(
        accountAggregate,
        String(payment.requested.accountId),
      );
      return { key, payment, account };
    },
    next: nextOfPayment,
    effects: {
      open: {
        retry,
        async carryOut(_effect, { key, payment }, _signal, { isUncertain }) {
          if (refusesWrites()) return postponed;
          const requested = requestedOf(payment);
          const { method, amountCents, returnUrl, storesMethod } = requested;
          const orderId = orderIdOfPayment(key);
          if (isUncertain) {
            // An earlier order may have reached the provider, which then knows it.
            const known = await provider.inquire(orderId);
            if (known.outcome !== "done") return unanswered(known);
            if (known.value.state !== "none") return recordStanding(options, key, known.value);
          }
          const paying = await findPayingMethod(options, requested);
          if (paying?.mayBeCharged === false) return failWithdrawn(options, key, requested, isUncertain);
          const storedMethod = paying?.providerMethod;
          const order = {
            orderId,
            method,
            amountCents,
            returnUrl,
            storesMethod,
            ...defined({ storedMethod }),
          };
          const answer = await provider.order(order);
          return recordAnswer(options, key, answer, isUncertain);
        },
      },
      ask: {
        retry,
        async carryOut({ againAfterMs, isLast }, { key, payment }) {
          if (refusesWrites()) return postponed;
          const answer = await provider.inquire(orderIdOfPayment(key));
          if (answer.outcome !== "done") return unanswered(answer);
          const { value: standing } = answer;
          if (hasNews(standing, payment)) return recordStanding(options, key, standing);
          const failed = await failedRefund(options, { key, payment });
          if (failed !== undefined) return failed;
          if (isLast && isTimeTrusted()) return recordStanding(options, key, expired);
          return { outcome: "done", step: "asked", againAfterMs };
        },
      },
      ...balanceEffects(options),
      ...refundEffects(options),
    },
    tellStaff: ({ key }, reason) =>
      tellOf(options, { work: orderIdOfPayment(key), about: "a customer's payment" }, reason),
    tellOfFailures: (_key, reason) =>
      tellOncePerDay(options, { work: `payments-${provider.name}`, about: "customers' payments" }, reason),
  });
}

function unanswered({ message }: { readonly message: string }): EffectEnd {
  return {
    outcome: "failed",
    reason: asLine(message, longestWords, "no answer"),
    code: "payment-unavailable",
  };
}

/** Ends a payment whose stored method was withdrawn. An earlier order may still reach the provider for a while. */
async function failWithdrawn(
  options: PaymentWorkOptions,
  key: string,
  { requestedAt }: Requested,
  isUncertain: boolean,
): Promise<EffectEnd> {
  if (isUncertain && options.clock.now() < addMilliseconds(requestedAt, quietMs))
    return { outcome: "done", step: "asked", againAfterMs: postponedMs };
  const message = "The stored payment method was withdrawn.";
  return recordStanding(options, key, { state: "failed", because: "refused", message });
}

/** Returns true if the provider says more than the payment's stream has. */
function hasNews({ state }: PaymentStanding, { status }: PaymentState): boolean {
  if (status === "settled") return state === "returned";
  return state === "settled" || state === "failed" || state === "returned";
}

/** Records how a provider answered an order. @param isUncertain true if an earlier order may have reached it */
async function recordAnswer(
  options: PaymentWorkOptions,
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

async function recordStanding(
  options: PaymentWorkOptions,
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
      const { valueDate, message } = standing;
      const data = { reason: asLine(message, longestWords, "no reason was given"), valueDate, at };
      return record(options, key, { type: "RecordPaymentReturned", data }, "returned");
    }
  }
}

/** Empty, or an address that a browser opens. */
function isPage(url: string): boolean {
  return url === "" || (url.length <= longestPaymentUrl && /^https?:\/\//.test(url) && URL.canParse(url));
}

async function recordSettlement(
  options: PaymentWorkOptions,
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
  { accounts }: PaymentWorkOptions,
  key: string,
  command: PaymentCommand,
  step: string,
): Promise<EffectEnd> {
  return endOf(await accounts.commands.execute(paymentAggregate, key, command, contextOf(key, step)), step);
}
