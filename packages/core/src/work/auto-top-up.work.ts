import type { AccountState } from "../account/account.state.ts";
import { addMilliseconds } from "../calendar/calendar.ts";
import type { PaymentState } from "../payment/payment.decider.ts";
import {
  autoTopUpPauseMs,
  mayCharge,
  storedMethods,
  type OrderedTopUp,
  type WalletMethod,
  type WalletState,
} from "../wallet/wallet.decider.ts";
import type { Next } from "./next.ts";

/** The states from which the work on a wallet decides. */
export interface WorkedWallet {
  readonly wallet: WalletState;
  readonly account: AccountState;
  /** Payment of the latest automatic top-up; absent before the first. */
  readonly lastPayment: PaymentState;
}

export type AutoTopUpEffect =
  /** Stores that a top-up is ordered. */
  | { readonly type: "order" }
  /** Requests the payment of an ordered top-up. */
  | { readonly type: "request"; readonly ordered: OrderedTopUp }
  /** Stops automatic top-ups on a method that cannot pay any more. */
  | { readonly type: "stop"; readonly methodId: number }
  /** Withdraws a method of an erased account. */
  | { readonly type: "withdraw"; readonly methodId: number };

/** Interval between checks of a balance, in milliseconds. Most falls of the balance trigger a check at once. */
const lookMs = 86_400_000;

/** Decides whether the balance is topped up now: one payment in 24 hours at most, and none while the last is under way. */
export function nextOfAutoTopUp(
  { wallet, account, lastPayment }: WorkedWallet,
  now: string,
): Next<AutoTopUpEffect> {
  if (account.status !== "open") return "done";
  const { autoTopUp, lastOrder } = wallet;
  if (account.erasedAt !== undefined) {
    const [method] = storedMethods(wallet);
    return method === undefined ? "done" : { do: { type: "withdraw", methodId: method.methodId } };
  }
  if (lastOrder !== undefined && lastPayment.status === "absent")
    return { do: { type: "request", ordered: lastOrder } };
  if (autoTopUp === undefined) return "done";
  // Customers may turn automatic top-ups on again: only a payment of since then stops them.
  const isOfThese = lastOrder !== undefined && lastOrder.orderedAt >= autoTopUp.setAt;
  if (isRevoked(lastPayment) && isOfThese && lastOrder.methodId === autoTopUp.methodId)
    return { do: { type: "stop", methodId: autoTopUp.methodId } };
  if (isUnderWay(lastPayment, account)) return "done";
  if (account.balanceCents >= autoTopUp.thresholdCents) return { wait: addMilliseconds(now, lookMs) };
  const earliest = lastOrder === undefined ? now : nextDay(lastOrder, lastPayment);
  if (now < earliest) return { wait: earliest };
  return mayCharge(wallet, autoTopUp.methodId) ? { do: { type: "order" } } : "done";
}

/** Returns a day after the last payment, which a process that died may have requested long after its order. */
function nextDay({ orderedAt }: OrderedTopUp, payment: PaymentState): string {
  const requestedAt = payment.status === "absent" ? "" : payment.requested.requestedAt;
  return addMilliseconds(requestedAt > orderedAt ? requestedAt : orderedAt, autoTopUpPauseMs);
}

function isRevoked(payment: PaymentState): boolean {
  return payment.status === "failed" && payment.because === "mandate-revoked";
}

/** Returns true until the payment failed, or its money is on the balance. */
function isUnderWay(payment: PaymentState, account: Extract<AccountState, { status: "open" }>): boolean {
  switch (payment.status) {
    case "absent":
    case "failed":
      return false;
    case "requested":
    case "open":
      return true;
    case "settled":
    case "returned":
      return !account.credits.has(payment.settled.providerReference);
  }
}

export interface MethodRemovalEffect {
  /** Asks the provider to remove the method. */
  readonly type: "remove";
  readonly method: WalletMethod;
}

/** Decides whether a method is still to be removed at the payment provider. */
export function nextOfMethodRemoval(method: WalletMethod): Next<MethodRemovalEffect> {
  return method.status === "withdrawn" ? { do: { type: "remove", method } } : "done";
}
