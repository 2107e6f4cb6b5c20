import {
  asLine,
  formatEuros,
  mayComeBack,
  paymentAggregate,
  type GivePaidOutBack,
  type PaymentEffect,
  type PaymentState,
  type Refund,
  type RefundCommand,
} from "@hostledger/core";
import type { PaymentProvider, RefundSettlement } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";
import type { AccountCommands } from "@hostledger/store";
import { endOf, type EffectEnd, type WorkKind } from "@hostledger/work";
import { postponed, retry } from "./pauses.ts";
import { longestWords, unanswered } from "./payment-standing.ts";
import {
  atProvider,
  contextOf,
  orderIdOfPayment,
  requestedOf,
  type ConfiguredProviders,
} from "./payment-work.ts";

interface RefundOptions extends ConfiguredProviders {
  readonly accounts: AccountCommands;
  readonly clock: Clock;
  /** True while the store is an older backup that staff have not accepted: no money moves. */
  readonly refusesWrites: () => boolean;
}

/** A payment with the name of its stream without the category. */
interface KeyedPayment {
  readonly key: string;
  readonly payment: PaymentState;
}

type Effects = Pick<
  WorkKind<KeyedPayment, PaymentEffect>["effects"],
  "order-refund" | "refund" | "give-back"
>;

/** Effects of refunds to the source. The balance was debited before; each effect is safe to repeat. */
export function refundEffects(options: RefundOptions): Effects {
  const { clock, refusesWrites } = options;
  return {
    "order-refund": {
      retry,
      carryOut: async ({ order }, { key }) =>
        refusesWrites()
          ? postponed
          : record(options, key, { type: "OrderRefund", data: { ...order, at: clock.now() } }),
    },
    refund: {
      retry,
      carryOut: async ({ refund, againAfterMs }, { key, payment }) =>
        refusesWrites()
          ? postponed
          : atProvider(options, providerOf(payment), (provider) =>
              refundAt(options, provider, { key, refund, againAfterMs }),
            ),
    },
    "give-back": {
      retry,
      async carryOut({ refund: { refundId }, reason }, { key, payment }) {
        if (refusesWrites()) return postponed;
        const command: GivePaidOutBack = {
          type: "GivePaidOutBack",
          data: { reference: refundId, reason, at: clock.now() },
        };
        const context = contextOf(key, `give-back/${refundId}`);
        return endOf(
          await options.accounts.execute(requestedOf(payment).accountId, command, context),
          "credited again",
        );
      },
    },
  };
}

/** Asks about a refund, and orders it if the provider does not know it: an earlier order may have reached the provider. */
async function refundAt(
  options: RefundOptions,
  provider: PaymentProvider,
  {
    key,
    refund,
    againAfterMs,
  }: { readonly key: string; readonly refund: Refund; readonly againAfterMs: number },
): Promise<EffectEnd> {
  const { refundId, amountCents } = refund;
  const orderId = orderIdOfPayment(key);
  const pending = { outcome: "done", step: "refund pending", againAfterMs } as const;
  const known = await provider.inquireRefund({ orderId, refundId });
  if (known.outcome !== "done") return unanswered(known);
  switch (known.value.state) {
    case "settled":
      return settle(options, key, refund, known.value.settlement);
    case "failed":
      return refuse(options, key, refundId, known.value.message);
    case "pending":
      return pending;
    case "none":
  }
  const answer = await provider.refund({ orderId, refundId, amountCents });
  switch (answer.outcome) {
    case "done":
      return settle(options, key, refund, answer.value);
    case "pending":
      return pending;
    case "unknown":
      return unanswered(answer);
    case "refused":
      return answer.reason === "unreachable"
        ? unanswered(answer)
        : refuse(options, key, refundId, answer.message);
  }
}

/**
 * Asks about refunds whose money may still come back.
 * @returns the end of the effect if one came back; otherwise undefined
 */
export async function failedRefund(
  options: RefundOptions,
  provider: PaymentProvider,
  { key, payment }: KeyedPayment,
): Promise<EffectEnd | undefined> {
  if (payment.status !== "settled" && payment.status !== "returned") return undefined;
  for (const refund of payment.refunds.values()) {
    if (!mayComeBack(refund, options.clock.now())) continue;
    const { refundId } = refund;
    const answer = await provider.inquireRefund({ orderId: orderIdOfPayment(key), refundId });
    if (answer.outcome !== "done") return unanswered(answer);
    if (answer.value.state === "failed") return refuse(options, key, refundId, answer.value.message);
  }
  return undefined;
}

function providerOf(payment: PaymentState): string {
  return payment.status === "absent" ? "" : payment.requested.provider;
}

function settle(
  options: RefundOptions,
  key: string,
  { refundId, amountCents }: Refund,
  { amountCents: sentCents, providerReference, valueDate }: RefundSettlement,
): Promise<EffectEnd> | EffectEnd {
  if (sentCents !== amountCents)
    return unanswered({
      message: `The provider sent ${formatEuros(sentCents)} EUR for the refund ${refundId} of ${formatEuros(amountCents)} EUR: correct it at the provider.`,
    });
  if (!/^[\x21-\x7e]{1,200}$/.test(providerReference))
    return unanswered({ message: "The provider's reference has other characters than an identifier." });
  const data = { refundId, providerReference, valueDate, at: options.clock.now() };
  return record(options, key, { type: "RecordRefundSettled", data });
}

function refuse(options: RefundOptions, key: string, refundId: string, message: string): Promise<EffectEnd> {
  const reason = asLine(message, longestWords, "no reason was given");
  return record(options, key, {
    type: "RecordRefundRefused",
    data: { refundId, reason, at: options.clock.now() },
  });
}

async function record({ accounts }: RefundOptions, key: string, command: RefundCommand): Promise<EffectEnd> {
  const step = `${command.type}/${command.data.refundId}`;
  return endOf(await accounts.commands.execute(paymentAggregate, key, command, contextOf(key, step)), step);
}
