import { paymentAggregate, type PaymentState, type WorkedPayment } from "@hostledger/core";
import type { PaymentProvider } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";
import type { AccountCommands, CommandContext, IdSequence } from "@hostledger/store";
import { requestWorkTicket, type EffectEnd } from "@hostledger/work";

import type { AccountQueries } from "../reads/account.queries.ts";
import { ticketOptions } from "./ticket-options.ts";

/** The parts of the work on payments that its effects share. */

/** The payment providers of this process. */
export interface ConfiguredProviders {
  /** Takes new payments; undefined where customers cannot pay by themselves. */
  readonly provider?: PaymentProvider | undefined;
  /** Takes no new payments, and is asked about the payments that customers made through this provider before. */
  readonly formerProvider?: PaymentProvider | undefined;
}

export interface PaymentWorkOptions extends ConfiguredProviders {
  readonly accounts: AccountCommands;
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

/** Pause while a payment provider is not configured, in milliseconds. */
const unconfiguredMs = 3_600_000;

/** Returns the provider of this name; undefined if the provider is not configured (any more). */
export function providerNamed(
  { provider, formerProvider }: ConfiguredProviders,
  name: string,
): PaymentProvider | undefined {
  return [provider, formerProvider].find((configured) => configured?.name === name);
}

/**
 * Calls the payment provider through which a payment or a stored method came, and no other one. While that provider is not configured,
 * the work waits, and staff get one ticket.
 */
export async function atProvider(
  options: ConfiguredProviders & Pick<PaymentWorkOptions, "accounts" | "clock">,
  name: string,
  call: (provider: PaymentProvider) => Promise<EffectEnd>,
): Promise<EffectEnd> {
  const provider = providerNamed(options, name);
  if (provider !== undefined) return call(provider);
  await requestWorkTicket(
    ticketOptions(options),
    { work: `payments-without-${name}`, about: `payments through ${name}` },
    `The payment provider ${name} is not configured any more. Configure its keys again until its payments, refunds and stored methods are settled.`,
  );
  return { outcome: "done", step: "waits for its provider", againAfterMs: unconfiguredMs };
}

/** Returns the id of a payment at the provider, which is the name of its stream. */
export function orderIdOfPayment(key: string): string {
  return `${paymentAggregate.category}-${key}`;
}

/** Returns the name of a payment's stream without the category. @param orderId such as `orderIdOfPayment` returns */
export function keyOfOrder(orderId: string): string {
  return orderId.slice(orderIdOfPayment("").length);
}

export function requestedOf(payment: PaymentState): Requested {
  if (payment.status === "absent") throw new Error("a payment that nobody requested has no work");
  return payment.requested;
}

export function contextOf(key: string, step: string): CommandContext {
  const orderId = orderIdOfPayment(key);
  return { commandId: `${orderId}/${step}`, correlationId: orderId, actor: "process:payment" };
}
