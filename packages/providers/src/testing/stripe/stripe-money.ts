import type { Sent } from "./stripe-document.codec.ts";
import {
  balanceTransaction,
  chargeObject,
  disputeObject,
  feeOf,
  methodObject,
  refundObject,
  type BalanceTransaction,
  type Charge,
  type Dispute,
  type Refund,
} from "./stripe-objects.ts";

/** A refusal in Stripe's words. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, string>>;
  constructor(status: number, error: Readonly<Record<"type" | "message", string>> & Record<string, string>) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/** Creates Stripe's refusal for a missing object. */
export function missing(what: string): StripeRefusal {
  return refusal("resource_missing", `No such ${what}`);
}

function refusal(code: string, message: string): StripeRefusal {
  return new StripeRefusal(400 + (code === "resource_missing" ? 4 : 0), {
    type: "invalid_request_error",
    code,
    message,
  });
}

/** The beginnings of Stripe's ids. */
const prefixes = {
  session: "cs",
  intent: "pi",
  charge: "ch",
  method: "pm",
  customer: "cus",
  dispute: "dp",
  refund: "re",
  movement: "txn",
  payout: "po",
};

/** Money of one account at Stripe: its charges, disputes and refunds, and the cards that it stores. */
export class StripeMoney {
  readonly charges: Charge[] = [];
  readonly disputes: Dispute[] = [];
  readonly refunds: Refund[] = [];
  /** Movements of our balance that are about none of these, or about a refund that failed. */
  readonly others: { readonly transaction: BalanceTransaction; readonly source: { readonly id: string } }[] =
    [];
  /** Customers of cards; null after the card was detached. */
  readonly methods = new Map<string, string | null>();
  readonly #nowMs: () => number;
  #ids = 0;
  /** True while Stripe does not yet know the fee of a new charge. */
  knowsFeesLater = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Charges a card. */
  charge(
    charge: Pick<
      Charge,
      "amount" | "customer" | "isPaid" | "metadata" | "paymentIntent" | "paymentMethod" | "transferGroup"
    >,
  ): Charge {
    const { amount, isPaid } = charge;
    const created = this.now();
    const hasFee = isPaid && !this.knowsFeesLater;
    const made: Charge = {
      ...charge,
      id: this.id("charge"),
      created,
      balance: hasFee
        ? balanceTransaction("charge", { id: this.id("movement"), amount, fee: feeOf(amount), created })
        : null,
      isDisputed: false,
      refunded: 0,
    };
    this.charges.unshift(made);
    return made;
  }

  /** Charges a stored card without its owner. @throws StripeRefusal */
  chargeStored(sent: Sent): unknown {
    const paymentMethod = String(sent.payment_method);
    const customer = this.methods.get(paymentMethod) ?? null;
    if (customer === null || customer !== sent.customer) throw missing("payment_method");
    const transferGroup = String(sent.transfer_group);
    const isPaid = !transferGroup.includes("declined");
    const { id, amount, created, paymentIntent } = this.charge({
      amount: Number(sent.amount),
      metadata: textsIn(sent.metadata),
      transferGroup,
      paymentIntent: this.id("intent"),
      paymentMethod,
      customer,
      isPaid,
    });
    const declined = { type: "card_error", code: "card_declined", decline_code: "generic_decline" };
    if (!isPaid) throw new StripeRefusal(402, { ...declined, message: "Your card was declined." });
    return {
      id: paymentIntent,
      object: "payment_intent",
      amount,
      created,
      currency: "eur",
      customer,
      latest_charge: id,
      livemode: false,
      payment_method: paymentMethod,
      payment_method_types: ["card"],
      status: "succeeded",
      transfer_group: transferGroup,
    };
  }

  /** Sends money of a charge back. @throws StripeRefusal */
  refund(sent: Sent): unknown {
    const charge = this.charges.find(({ id }) => id === sent.charge);
    if (charge === undefined) throw missing("charge");
    const amount = Number(sent.amount);
    if (charge.isDisputed) throw refusal("charge_disputed", "The charge has been charged back.");
    if (charge.refunded + amount > charge.amount)
      throw refusal("charge_already_refunded", "The refund is greater than what is left of the charge.");
    charge.refunded += amount;
    const created = this.now();
    const movement = { id: this.id("movement"), amount: -amount, fee: 0, created };
    const refund: Refund = {
      id: this.id("refund"),
      created,
      charge: charge.id,
      amount,
      metadata: textsIn(sent.metadata),
      balance: balanceTransaction("refund", movement),
      status: "succeeded",
    };
    this.refunds.unshift(refund);
    return refundObject(refund, expandsBalance(sent));
  }

  /** Moves the balance beside charges, refunds and disputes. @param source the object that the movement is about */
  move(
    type: BalanceTransaction["type"],
    { amount, source }: { readonly amount: number; readonly source: { readonly id: string } },
  ): void {
    const movement = { id: this.id("movement"), amount, fee: 0, created: this.now() };
    this.others.push({ transaction: balanceTransaction(type, movement), source });
  }

  /** Takes money of a charge back. @param moves movements of our balance, in cents */
  dispute(charge: Charge, { status, moves }: { readonly status: string; readonly moves: readonly number[] }) {
    charge.isDisputed = true;
    const created = this.now();
    const [first = 0] = moves;
    this.disputes.unshift({
      id: this.id("dispute"),
      created,
      charge: charge.id,
      amount: Math.abs(first),
      status,
      movements: moves.map((amount) =>
        balanceTransaction("adjustment", { id: this.id("movement"), amount, fee: 2_000, created }),
      ),
    });
  }

  /** Lists charges, disputes or refunds. @param kind segment of the path */
  list(kind: "charges" | "disputes" | "refunds", sent: Sent): unknown {
    const expands = expandsBalance(sent);
    switch (kind) {
      case "charges": {
        const found = this.charges.filter(({ transferGroup }) => transferGroup === sent.transfer_group);
        return pageOf("/v1/charges", found, sent, (one) => chargeObject(one, expands));
      }
      case "disputes": {
        const found = this.disputes.filter(({ charge }) => charge === sent.charge);
        return pageOf("/v1/disputes", found, sent, disputeObject);
      }
      case "refunds": {
        const found = this.refunds.filter(({ charge }) => charge === sent.charge);
        return pageOf("/v1/refunds", found, sent, (one) => refundObject(one, expands));
      }
    }
  }

  /** A card. @throws StripeRefusal */
  method(id: string): unknown {
    const customer = this.methods.get(id);
    if (customer === undefined) throw missing("payment_method");
    return methodObject(id, customer, this.now());
  }

  id(kind: keyof typeof prefixes): string {
    this.#ids += 1;
    return `${prefixes[kind]}_test_${String(this.#ids)}`;
  }

  /** Unix time in seconds. */
  now(): number {
    return Math.floor(this.#nowMs() / 1_000);
  }
}

/** A page of a list, newest first. */
export function pageOf<One extends { readonly id: string }>(
  url: string,
  all: readonly One[],
  { limit = 10, starting_after: after }: Sent,
  shown: (one: One) => unknown,
): unknown {
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(from, from + Number(limit)).map(shown);
  return { object: "list", url, data, has_more: from + data.length < all.length };
}

/** The fields of a value that a request sent. */
export function fieldsIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function textsIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fieldsIn(value)).map(([key, one]) => [key, String(one)]));
}

/** True if a request asks for balance transactions as objects. */
export function expandsBalance(sent: Sent): boolean {
  return expandsIn(sent, "data.balance_transaction") || expandsIn(sent, "balance_transaction");
}

/** True if a request asks for a part of its answer as an object. */
export function expandsIn({ expand }: Sent, part: string): boolean {
  return Array.isArray(expand) && expand.includes(part);
}
