import {
  accountAggregate,
  asLine,
  longestPaymentUrl,
  nextOfPayment,
  openPaymentDays,
  paymentAggregate,
  type AccountCommand,
  type PaymentCommand,
  type PaymentEffect,
  type PaymentState,
  type WorkedPayment,
} from "@hostledger/core";
import type { PaymentOutcome, PaymentProvider, PaymentStanding, Settlement } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";
import { refusalOf, unusedId, type AccountCommands, type CommandContext } from "@hostledger/store";
import { endOf, workKind, type AnyWorkKind, type EffectEnd, type WorkKind } from "@hostledger/work";

import { paymentKind } from "../reads/account.tables.ts";
import type { AccountQueries } from "../reads/account.queries.ts";
import { taking } from "../references.ts";
import { tellOf, tellOncePerDay } from "./failing-work.ts";
import { failedRefund, refundEffects } from "./refund.effects.ts";

export interface PaymentWorkOptions {
  readonly accounts: AccountCommands;
  readonly provider: PaymentProvider;
  readonly queries: AccountQueries;
  readonly clock: Clock;
  /** True while the store is an older backup that staff have not accepted: no money moves. */
  readonly refusesWrites: () => boolean;
  /** False while a payment may not expire, because the clock may be wrong. */
  readonly isTimeTrusted: () => boolean;
}

/** Pauses after an attempt that failed, in milliseconds. */
const retry = { firstMs: 1_000, longestMs: 3_600_000 };

/** Pause between the order and the first question, in milliseconds. */
const payingMs = 2_000;
/** Pause while no money may move, in milliseconds. */
const postponedMs = 60_000;

/** Maximum characters of a provider's words in an event. */
const longestWords = 500;

/** How a payment ends that its provider never ends. */
const expired: PaymentStanding = {
  state: "failed",
  because: "expired",
  message: `The payment was not made within ${String(openPaymentDays)} days.`,
};

type Requested = Exclude<PaymentState, { readonly status: "absent" }>["requested"];

/** A payment with its key. */
type WorkedKey = WorkedPayment & { readonly key: string };

/** Returns the id of a payment at the provider, which is the name of its stream. */
export function orderIdOfPayment(key: string): string {
  return `${paymentAggregate.category}-${key}`;
}

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
          const { method, amountCents, returnUrl } = requestedOf(payment);
          const orderId = orderIdOfPayment(key);
          if (isUncertain) {
            // An earlier order may have reached the provider, which then knows it.
            const known = await provider.inquire(orderId);
            if (known.outcome !== "done") return unanswered(known);
            if (known.value.state !== "none") return recordStanding(options, key, known.value);
          }
          const answer = await provider.order({ orderId, method, amountCents, returnUrl });
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

/** Effects that move the balance by what came, and by what was taken back. */
function balanceEffects(
  options: PaymentWorkOptions,
): Pick<WorkKind<WorkedKey, PaymentEffect>["effects"], "credit" | "take-back"> {
  const { accounts, clock } = options;
  return {
    credit: {
      retry,
      carryOut({ settled: { providerReference: reference, amountCents } }, { key, payment }) {
        const { accountId } = requestedOf(payment);
        const context = taking(
          { ...options, commands: accounts.commands },
          { kind: "top-up", reference, accountId },
          contextOf(key, "credit"),
        );
        return moveBalance(options, { accountId, context, step: "credited" }, (invoiceId) => ({
          type: "CreditBalance",
          data: { reference, amountCents, invoiceId, at: clock.now() },
        }));
      },
    },
    "take-back": {
      retry,
      carryOut({ reference, reason }, { key, payment }) {
        const { accountId } = requestedOf(payment);
        const context = contextOf(key, "take-back");
        return moveBalance(options, { accountId, context, step: "taken back" }, (correctionId) => ({
          type: "ReverseTopUp",
          data: { reference, correctionId, reason, debtAllowed: true, at: clock.now() },
        }));
      },
    },
  };
}

const postponed: EffectEnd = { outcome: "done", step: "postponed", againAfterMs: postponedMs };

function requestedOf(payment: PaymentState): Requested {
  if (payment.status === "absent") throw new Error("a payment that nobody requested has no work");
  return payment.requested;
}

function contextOf(key: string, step: string): CommandContext {
  const orderId = orderIdOfPayment(key);
  return { commandId: `${orderId}/${step}`, correlationId: orderId, actor: "process:payment" };
}

function unanswered({ message }: { readonly message: string }): EffectEnd {
  return {
    outcome: "failed",
    reason: asLine(message, longestWords, "no answer"),
    code: "payment-unavailable",
  };
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
  { amountCents, feeCents, providerReference, valueDate }: Settlement,
): Promise<EffectEnd> {
  if (!/^[\x21-\x7e]{1,200}$/.test(providerReference))
    return unanswered({ message: "The provider's reference has other characters than an identifier." });
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

/** Moves the balance, and issues the document. A refusal uses no document id. */
async function moveBalance(
  { accounts, refusesWrites }: PaymentWorkOptions,
  {
    accountId,
    context,
    step,
  }: { readonly accountId: number; readonly context: CommandContext; readonly step: string },
  commandOf: (documentId: number) => AccountCommand,
): Promise<EffectEnd> {
  if (refusesWrites()) return postponed;
  const refusal = await refusalOf(
    accounts.commands,
    accountAggregate,
    String(accountId),
    commandOf(unusedId),
  );
  if (refusal !== undefined) return { outcome: "failed", reason: refusal.message };
  const command = commandOf(await accounts.invoiceIds.next());
  return endOf(await accounts.execute(accountId, command, context), step);
}
