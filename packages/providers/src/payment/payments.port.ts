import type { PaymentFailure } from "@hostledger/core";

import { done, refused, type Outcome, type RefusalReason } from "../outcome.ts";

/** An order for a customer's payment. */
export interface PaymentOrder {
  /** Order id chosen by us, equal for every repeat; the provider shows it as our reference. */
  readonly orderId: string;
  /** A method of `methods`. */
  readonly method: string;
  /** Above zero, in cents (EUR). */
  readonly amountCents: bigint;
  /** Page to which the customer returns after paying; empty for no page. */
  readonly returnUrl: string;
  /** True if the customer agreed that the provider stores the method for later payments. Default: false. */
  readonly storesMethod?: boolean;
  /** Id of a stored method (`StoredMethod.id`) that pays without a page. Default: the customer pays on a page. */
  readonly storedMethod?: string;
}

/** A method that the provider stores with the customer's consent. */
export interface StoredMethod {
  /** The provider's id, unique at the provider; at most 200 characters. */
  readonly id: string;
  /** A method of `methods`. */
  readonly kind: string;
  /** Description for the customer, such as "Visa …4242"; at most 100 characters. */
  readonly label: string;
}

/** What came. */
export interface Settlement {
  /** Cents (EUR), which may differ from the amount of the order. */
  readonly amountCents: bigint;
  /** Fee that the provider keeps, in cents (EUR). */
  readonly feeCents: bigint;
  /** The provider's own reference, unique at the provider; at most 200 characters. */
  readonly providerReference: string;
  /** Day on which the provider counts the money as ours (UTC), such as 2026-03-01. */
  readonly valueDate: string;
  /** The method that the provider stored, if the order asked for that. Equal in every answer about the order. */
  readonly storedMethod?: StoredMethod;
}

/** Why an order was refused. `mandate-revoked`: the stored method cannot pay any more. */
export type PaymentRefusalReason = RefusalReason | "declined" | "mandate-revoked";

/** Outcome of an order. `pending`: the customer has to pay; `redirectUrl` is empty without a page of the provider. */
export type PaymentOutcome =
  | Exclude<Outcome<Settlement>, { readonly outcome: "refused" }>
  | { readonly outcome: "refused"; readonly reason: PaymentRefusalReason; readonly message: string }
  | { readonly outcome: "pending"; readonly redirectUrl: string };

/** State of an order at the provider; `none` if the provider does not know the order. */
export type PaymentStanding =
  | { readonly state: "none" }
  | { readonly state: "pending"; readonly redirectUrl: string }
  | { readonly state: "settled"; readonly settlement: Settlement }
  | { readonly state: "failed"; readonly because: PaymentFailure; readonly message: string }
  /** The provider took the payment back, for example by a chargeback. */
  | {
      readonly state: "returned";
      readonly settlement: Settlement;
      /** What the provider took, in cents (EUR): the whole payment, or what was left of it after refunds. */
      readonly amountCents: bigint;
      /** Fee for taking the payment back, in cents (EUR), in addition to its amount. Default: 0. */
      readonly feeCents?: bigint;
      readonly message: string;
      readonly valueDate: string;
    };

/** An order to send money of a settled payment back to where it came from. */
export interface RefundOrder {
  /** Order id of the payment. */
  readonly orderId: string;
  /** Id of the refund chosen by us, unique among all refunds and equal for every repeat. */
  readonly refundId: string;
  /** Above zero, in cents (EUR). The sum of all refunds is at most the amount paid. */
  readonly amountCents: bigint;
}

/** A refund that the provider made. */
export interface RefundSettlement {
  /** The amount of the order, in cents (EUR). */
  readonly amountCents: bigint;
  /** The provider's own reference of the refund, unique at the provider; at most 200 characters. */
  readonly providerReference: string;
  /** Day on which the provider takes the money from us (UTC), such as 2026-03-01. */
  readonly valueDate: string;
}

/**
 * Outcome of a refund's order. `pending`: the provider took the order and has not made it yet. `refused`: no money goes back for
 * this order, now or later.
 */
export type RefundOutcome = Outcome<RefundSettlement> | { readonly outcome: "pending" };

/** State of a refund at the provider; `none` if the provider does not know the refund. */
export type RefundStanding =
  | { readonly state: "none" }
  | { readonly state: "pending" }
  | { readonly state: "settled"; readonly settlement: RefundSettlement }
  /** No money went back, or it came back to us. This may follow `settled`. */
  | { readonly state: "failed"; readonly message: string };

/** Returns the outcome of an order for a refund whose state is known. */
export function outcomeOfRefund(standing: RefundStanding): RefundOutcome {
  switch (standing.state) {
    case "settled":
      return done(standing.settlement);
    case "failed":
      return refused("rejected", standing.message);
    case "none":
    case "pending":
      return { outcome: "pending" };
  }
}

/**
 * What a movement of our balance at the provider is. `settlement`: a customer's payment. `refund`: money sent back, or a refund that
 * came back to us. `return`: a chargeback, or one that we won. `payout`: between the provider and our bank account. `fee`: a fee of its
 * own, beside those of payments.
 */
export type MovementKind = "settlement" | "refund" | "return" | "payout" | "fee" | "other";

/** A movement of our balance at the provider. */
export interface ProviderMovement {
  /** The provider's id of the movement, unique at the provider; at most 200 characters. */
  readonly id: string;
  readonly kind: MovementKind;
  /**
   * Order id of the payment that the movement is about, as the provider has it: also that of another installation at the same
   * provider. Empty if the movement is about no payment, or about one that was made without an order.
   */
  readonly orderId: string;
  /** Our id of the refund; empty for other movements, and for refunds that were made without an order. */
  readonly refundId: string;
  /**
   * The provider's reference: of the payment for a settlement and a return (`Settlement.providerReference`), of the refund for a
   * refund; at most 200 characters.
   */
  readonly providerReference: string;
  /** What is added to our balance, without the fee, in cents of the currency; below zero if the movement takes money. */
  readonly amountCents: bigint;
  /** What the provider keeps of it beside, in cents of the currency. */
  readonly feeCents: bigint;
  /** ISO 4217, such as `EUR`. */
  readonly currency: string;
  /** Day on which the provider counts the money (UTC), such as 2026-03-01. */
  readonly valueDate: string;
  /** Time of the movement, ISO 8601 UTC. */
  readonly at: string;
}

/** A question about the movements of a span of time. */
export interface MovementQuestion {
  /** Start of the span, which belongs to it, ISO 8601 UTC. */
  readonly from: string;
  /** End of the span, which does not belong to it, ISO 8601 UTC. */
  readonly to: string;
  /** `next` of the page before; empty for the first page. */
  readonly after: string;
}

/** A part of the movements of a span. */
export interface MovementPage {
  /** At most `movementPageSize`. A movement is on one page only. */
  readonly movements: readonly ProviderMovement[];
  /** Names the page behind; empty on the last one. */
  readonly next: string;
}

/** Maximum movements in a page. */
export const movementPageSize = 100;

/**
 * Port to a payment provider. Every call resolves; without an answer in time, as `unknown`. Calls are safe to repeat: there is one
 * payment for each `orderId`, and one refund for each `refundId`.
 */
export interface PaymentProvider {
  /** Stored with each payment. */
  readonly name: string;
  /** Methods from which customers choose, from the configuration. */
  readonly methods: readonly string[];
  /** Orders a payment. A repeat answers the state of the first order. */
  order(order: PaymentOrder): Promise<PaymentOutcome>;
  /** Asks for the state of an order. */
  inquire(orderId: string): Promise<Outcome<PaymentStanding>>;
  /**
   * Removes a stored method, after which the provider refuses orders on it as `mandate-revoked`. Done too for a method that the
   * provider does not have, so a call whose answer was lost is repeated.
   */
  removeMethod(methodId: string): Promise<Outcome<undefined>>;
  /** Sends money of a settled payment back to its source. A repeat answers the state of the first order. */
  refund(order: RefundOrder): Promise<RefundOutcome>;
  /** Asks for the state of a refund. */
  inquireRefund(refund: Omit<RefundOrder, "amountCents">): Promise<Outcome<RefundStanding>>;
  /** Lists what moved our balance in a span of time, by page. `refused` for a page that the provider does not have. */
  listMovements(question: MovementQuestion): Promise<Outcome<MovementPage>>;
}

/** Content of a provider's webhook. */
export interface PaymentNotice {
  /** The provider's id of the webhook. */
  readonly id: string;
  /** The provider's name of the event. */
  readonly type: string;
  /** The order about which the provider is to be asked; empty for none. */
  readonly orderId: string;
  /** Why no order is named; empty if one is. */
  readonly why: string;
}

/**
 * Port to the webhooks of a payment provider. A webhook only says when to ask; `inquire` answers what happened to
 * the order.
 */
export interface PaymentNotices {
  /**
   * Checks where a webhook comes from, and finds its order. `refused`: it is no webhook of the provider's account; `unknown`: the
   * provider did not say which order it is about.
   */
  read(body: Uint8Array, signature: string): Promise<Outcome<PaymentNotice>>;
}
