import {
  accountAggregate,
  addMilliseconds,
  nextOfPayment,
  openPaymentDays,
  paymentAggregate,
  type PaymentEffect,
} from "@hostledger/core";
import type { PaymentProvider, PaymentStanding } from "@hostledger/providers";
import { defined } from "@hostledger/runtime";
import {
  requestDailyWorkTicket,
  requestWorkTicket,
  workKind,
  type AnyWorkKind,
  type EffectEnd,
} from "@hostledger/work";

import { postponed, postponedMs, retry } from "./pauses.ts";
import { balanceEffects } from "./payment-balance.effects.ts";
import { hasNews, recordAnswer, recordStanding, unanswered } from "./payment-standing.ts";
import {
  atProvider,
  orderIdOfPayment,
  requestedOf,
  type PaymentWorkOptions,
  type Requested,
  type WorkedKey,
} from "./payment-work.ts";
import { paymentKind } from "../reads/account.tables.ts";
import { failedRefund, refundEffects } from "./refund.effects.ts";
import { findPayingMethod } from "./stored-method.effects.ts";
import { ticketOptions } from "./ticket-options.ts";

/** Time after a request in which an order may still reach the provider, in milliseconds. */
const quietMs = 3_600_000;

/** End of a payment that its provider never ends. */
const expired: PaymentStanding = {
  state: "failed",
  because: "expired",
  message: `The payment was not made within ${String(openPaymentDays)} days.`,
};

/**
 * Returns the work on payments: orders them at the provider, asks for their state, and changes the balance by the
 * amounts paid. Its keys are the names of their streams without the category. Every effect is safe to repeat.
 */
export function paymentWork(options: PaymentWorkOptions): AnyWorkKind {
  const { accounts, isTimeTrusted, refusesWrites } = options;
  return workKind<WorkedKey, PaymentEffect>({
    name: paymentKind,
    // Received money is credited whatever the clock says.
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
        carryOut: async (_effect, { key, payment }, _signal, { isUncertain }) =>
          refusesWrites()
            ? postponed
            : atProvider(options, requestedOf(payment).provider, (provider) =>
                order(options, provider, { key, payment, isUncertain }),
              ),
      },
      ask: {
        retry,
        carryOut: async ({ againAfterMs, isLast }, { key, payment }) => {
          if (refusesWrites()) return postponed;
          return atProvider(options, requestedOf(payment).provider, async (provider) => {
            const answer = await provider.inquire(orderIdOfPayment(key));
            if (answer.outcome !== "done") return unanswered(answer);
            const { value: standing } = answer;
            // A refund that came back ends first: a chargeback after that took its amount too.
            const failed = await failedRefund(options, provider, { key, payment });
            if (failed !== undefined) return failed;
            if (hasNews(standing, payment)) return recordStanding(options, key, standing);
            if (isLast && isTimeTrusted()) return recordStanding(options, key, expired);
            return { outcome: "done", step: "asked", againAfterMs };
          });
        },
      },
      ...balanceEffects(options),
      ...refundEffects(options),
    },
    tellStaff: ({ key }, reason) =>
      requestWorkTicket(
        ticketOptions(options),
        { work: orderIdOfPayment(key), about: "a customer's payment" },
        reason,
      ),
    async tellOfFailures(key, reason) {
      const { state } = await accounts.commands.load(paymentAggregate, key);
      const failing = { work: `payments-${requestedOf(state).provider}`, about: "customers' payments" };
      await requestDailyWorkTicket(ticketOptions(options), failing, reason);
    },
  });
}

/** Orders a payment, on a page of the provider or on a stored method. */
async function order(
  options: PaymentWorkOptions,
  provider: PaymentProvider,
  { key, payment, isUncertain }: Pick<WorkedKey, "key" | "payment"> & { readonly isUncertain: boolean },
): Promise<EffectEnd> {
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
  const asked = { orderId, method, amountCents, returnUrl, storesMethod, ...defined({ storedMethod }) };
  return recordAnswer(options, key, await provider.order(asked), isUncertain);
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
