import { asLine } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";

import { right, wrong, type ProviderFinding } from "../../check/provider-check.ts";
import { done, unknown, type Outcome } from "../../outcome.ts";
import type {
  MovementPage,
  MovementQuestion,
  PaymentOrder,
  PaymentOutcome,
  PaymentProvider,
  PaymentStanding,
  RefundOrder,
  RefundOutcome,
  RefundStanding,
} from "../payments.port.ts";
import { StripeApi, type StripeAccess, type StripeAnswer } from "./stripe-api.ts";
import { chargeOfOrder, chargesOf, disputesOf, isTaken, refundsOf, uncertain } from "./stripe-charges.ts";
import { listStripeMovements } from "./stripe-movements.ts";
import {
  accountShape,
  paymentIntentShape,
  paymentMethodShape,
  sessionShape,
  sessionsShape,
  type StripeCharge,
  type StripeSession,
} from "./stripe-objects.codec.ts";
import { inquireRefundAtStripe, refundAtStripe } from "./stripe-refunds.ts";
import { metadataNames, standingOfCharge } from "./stripe-standing.ts";

export interface StripeOptions extends StripeAccess {
  readonly clock: Pick<Clock, "epochMilliseconds">;
  /** Page to which customers return from orders that name none. */
  readonly homeUrl: string;
}

/**
 * Seconds for which pages are looked for. A page can be paid on for a day, and is asked about once more after its end. A charge is
 * found by its order for ever.
 */
const lookBackSeconds = 3 * 86_400;

/** Lists of 100 pages that one question reads at most. */
const mostLists = 20;

/** Text that the customer reads on Stripe's page and receipt. */
const productName = "Account top-up";

/**
 * Payments through Stripe: the customer pays on a page of Stripe (Checkout), or a stored card is charged. Stripe's idempotency keys,
 * kept for a day at least, are our order ids, so a repeated order finds its page. The charge has the order id as its `transfer_group`,
 * by which Stripe lists charges at once and for ever; its search is up to a minute behind, so it is not asked.
 */
export class StripePayments implements PaymentProvider {
  readonly name = "stripe";
  readonly methods = ["card"];
  readonly #options: StripeOptions;
  readonly #api: StripeApi;
  readonly #orders = new InHand<PaymentOutcome>();
  readonly #refunds = new InHand<RefundOutcome>();

  constructor(options: StripeOptions) {
    this.#options = options;
    this.#api = new StripeApi(options);
  }

  order(order: PaymentOrder): Promise<PaymentOutcome> {
    const { orderId, storedMethod } = order;
    return this.#orders.once(orderId, () =>
      storedMethod === undefined ? this.#openPage(order) : this.#chargeMethod(order, storedMethod),
    );
  }

  async inquire(orderId: string): Promise<Outcome<PaymentStanding>> {
    const charges = await chargesOf(this.#api, orderId);
    if (charges.outcome !== "done") return charges;
    if (charges.value.some(isTaken)) return this.#standingOf(charges.value);
    const page = await this.#pageOf(orderId);
    if (page.outcome !== "done") return page;
    if (page.value?.status === "open") return done({ state: "pending", redirectUrl: page.value.url ?? "" });
    if (page.value?.status === "complete") {
      // The customer paid between the two questions.
      const again = await chargesOf(this.#api, orderId);
      if (again.outcome !== "done") return again;
      if (again.value.some(isTaken)) return this.#standingOf(again.value);
      return done({ state: "pending", redirectUrl: "" });
    }
    const [declined] = charges.value;
    if (declined !== undefined) {
      const message = asLine(declined.failure_message ?? "", 300, "The customer's bank declines the card.");
      return done({ state: "failed", because: "declined", message });
    }
    if (page.value === undefined) return done({ state: "none" });
    const message = "The customer did not pay on Stripe's page within its time.";
    return done({ state: "failed", because: "expired", message });
  }

  async removeMethod(methodId: string): Promise<Outcome<undefined>> {
    const customer = await this.#customerOf(methodId);
    if (customer.outcome !== "done") return customer;
    if (customer.value === undefined) return done(undefined);
    const removed = await this.#api.ask(paymentMethodShape, (stripe) =>
      stripe.paymentMethods.detach(methodId),
    );
    return removed.outcome === "done" ? done(undefined) : removed;
  }

  refund(order: RefundOrder): Promise<RefundOutcome> {
    return this.#refunds.once(order.refundId, () => refundAtStripe(this.#api, order));
  }

  inquireRefund(asked: Omit<RefundOrder, "amountCents">): Promise<Outcome<RefundStanding>> {
    return inquireRefundAtStripe(this.#api, asked);
  }

  listMovements(question: MovementQuestion): Promise<Outcome<MovementPage>> {
    return listStripeMovements(this.#api, question);
  }

  /** Checks the key and the account's payment methods, without changing anything. */
  async findings(): Promise<readonly ProviderFinding[]> {
    const account = await this.#api.ask(accountShape, (stripe) => stripe.accounts.retrieveCurrent());
    if (account.outcome !== "done") return [wrong(account.message)];
    const { id, charges_enabled: takes, default_currency: currency } = account.value;
    return [
      right(`Stripe knows the key: it is the account ${asLine(id, 100, "without an id")}.`),
      ...(takes === false ? [wrong("Stripe lets the account take no payments yet: complete it.")] : []),
      ...(currency === undefined || currency === "eur"
        ? []
        : [wrong("The account's currency is not the euro: add a bank account in euros at Stripe.")]),
    ];
  }

  async #openPage({
    orderId,
    amountCents,
    returnUrl,
    storesMethod = false,
  }: PaymentOrder): Promise<PaymentOutcome> {
    const page = returnUrl === "" ? this.#options.homeUrl : returnUrl;
    const answer = await this.#api.ask(sessionShape, (stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: "payment",
          client_reference_id: orderId,
          metadata: { [metadataNames.order]: orderId },
          payment_method_types: ["card"],
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: "eur",
                unit_amount: Number(amountCents),
                product_data: { name: productName },
              },
            },
          ],
          // Stored methods belong to a customer of Stripe's.
          ...(storesMethod && { customer_creation: "always" as const }),
          payment_intent_data: {
            transfer_group: orderId,
            metadata: {
              [metadataNames.order]: orderId,
              ...(storesMethod && { [metadataNames.storesMethod]: "yes" }),
            },
            ...(storesMethod && { setup_future_usage: "off_session" as const }),
          },
          success_url: page,
          cancel_url: page,
        },
        { idempotencyKey: orderId },
      ),
    );
    if (answer.outcome !== "done") return answer;
    const { client_reference_id: reference, amount_total: amount, currency, url } = answer.value;
    if (reference !== orderId || amount !== Number(amountCents) || currency !== "eur")
      return unknown("Stripe answered about another order, amount or currency.");
    return { outcome: "pending", redirectUrl: url ?? "" };
  }

  async #chargeMethod({ orderId, amountCents }: PaymentOrder, storedMethod: string): Promise<PaymentOutcome> {
    const customer = await this.#customerOf(storedMethod);
    if (customer.outcome !== "done") return customer;
    const { value } = customer;
    if (value === undefined) return mandateRevoked;
    const answer = await this.#api.ask(paymentIntentShape, (stripe) =>
      stripe.paymentIntents.create(
        {
          amount: Number(amountCents),
          currency: "eur",
          customer: value,
          payment_method: storedMethod,
          payment_method_types: ["card"],
          confirm: true,
          off_session: true,
          // The customer is absent and cannot confirm the payment at the bank, so the payment fails instead
          // of waiting.
          error_on_requires_action: true,
          transfer_group: orderId,
          metadata: { [metadataNames.order]: orderId },
        },
        { idempotencyKey: orderId },
      ),
    );
    if (answer.outcome === "done") return { outcome: "pending", redirectUrl: "" };
    if (answer.outcome !== "refused" || answer.reason !== "rejected") return answer;
    if (answer.code === "resource_missing") return mandateRevoked;
    return answer.isCard === true ? { ...answer, reason: "declined" } : answer;
  }

  /** Finds the customer of a stored method; undefined if Stripe has the method no more. */
  async #customerOf(methodId: string): Promise<StripeAnswer<string | undefined>> {
    const method = await this.#api.ask(paymentMethodShape, (stripe) =>
      stripe.paymentMethods.retrieve(methodId),
    );
    if (method.outcome === "done") return done(method.value.customer ?? undefined);
    return method.outcome === "refused" && method.code === "resource_missing" ? done(undefined) : method;
  }

  async #standingOf(charges: readonly StripeCharge[]): Promise<Outcome<PaymentStanding>> {
    const found = await chargeOfOrder(this.#api, charges);
    if (found.outcome !== "done") return found;
    const { value: charge } = found;
    if (charge === undefined) throw new Error("no charge was taken");
    if (charge.status === "pending") return done({ state: "pending", redirectUrl: "" });
    const disputes = charge.disputed ? await disputesOf(this.#api, charge) : done([]);
    if (disputes.outcome !== "done") return disputes;
    const refunds = charge.amount_refunded > 0 ? await refundsOf(this.#api, charge) : done([]);
    if (refunds.outcome !== "done") return refunds;
    return standingOfCharge(charge, { disputes: disputes.value, refunds: refunds.value });
  }

  /** Finds the page of an order among those of the last days, newest first. Stripe lists no pages by our reference. */
  async #pageOf(orderId: string): Promise<Outcome<StripeSession | undefined>> {
    const from = Math.floor(this.#options.clock.epochMilliseconds() / 1_000) - lookBackSeconds;
    let after: string | undefined;
    for (let lists = 0; lists < mostLists; lists += 1) {
      const answer = await this.#api.ask(sessionsShape, (stripe) =>
        stripe.checkout.sessions.list({
          created: { gte: from },
          limit: 100,
          ...(after !== undefined && { starting_after: after }),
        }),
      );
      if (answer.outcome !== "done") return uncertain(answer);
      const { data, has_more: hasMore } = answer.value;
      const page = data.find(({ client_reference_id: reference }) => reference === orderId);
      after = data.at(-1)?.id;
      if (page !== undefined || !hasMore || after === undefined) return done(page);
    }
    return unknown(
      `The page of ${orderId} is not among the last ${String(mostLists * 100)} pages at Stripe.`,
    );
  }
}

/** Orders in progress: Stripe refuses a second request under an idempotency key while the first one is running. */
class InHand<Answer> {
  readonly #answers = new Map<string, Promise<Answer>>();

  /** Makes a call, or waits for the one that is under way under this key. */
  once(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const underWay = this.#answers.get(key);
    if (underWay !== undefined) return underWay;
    const answer = make().finally(() => this.#answers.delete(key));
    this.#answers.set(key, answer);
    return answer;
  }
}

const mandateRevoked: PaymentOutcome = {
  outcome: "refused",
  reason: "mandate-revoked",
  message: "Stripe has the customer's method no more.",
};
