import { paymentAggregate, type PaymentState, type WorkedPayment } from "@hostledger/core";
import type { PaymentProvider } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";
import type { AccountCommands, CommandContext, IdSequence } from "@hostledger/store";

import type { AccountQueries } from "../reads/account.queries.ts";

/** The parts of the work on payments that its effects share. */

export interface PaymentWorkOptions {
  readonly accounts: AccountCommands;
  readonly provider: PaymentProvider;
  readonly queries: AccountQueries;
  readonly methodIds: IdSequence;
  readonly clock: Clock;
  /** True while the store is an older backup that staff have not accepted: no money moves. */
  readonly refusesWrites: () => boolean;
  /** False while a payment may not expire, because the clock may be wrong. */
  readonly isTimeTrusted: () => boolean;
}

export type Requested = Exclude<PaymentState, { readonly status: "absent" }>["requested"];

/** A payment with its key. */
export type WorkedKey = WorkedPayment & { readonly key: string };

/** Returns the id of a payment at the provider, which is the name of its stream. */
export function orderIdOfPayment(key: string): string {
  return `${paymentAggregate.category}-${key}`;
}

export function requestedOf(payment: PaymentState): Requested {
  if (payment.status === "absent") throw new Error("a payment that nobody requested has no work");
  return payment.requested;
}

export function contextOf(key: string, step: string): CommandContext {
  const orderId = orderIdOfPayment(key);
  return { commandId: `${orderId}/${step}`, correlationId: orderId, actor: "process:payment" };
}
