import { done, unknown, type Outcome } from "../outcome.ts";
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
  Settlement,
} from "../payment/payments.port.ts";
import { noAnswer } from "./line.ts";
import { paymentFateOf, type PaymentFate } from "./payment-labels.ts";
import { decodePaymentOrder, encodePaymentOrder } from "./sandbox-contents.codec.ts";
import { integer, text, type Row } from "./sandbox-database.ts";
import { pageOfMovements } from "./sandbox-movements.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { SandboxRefunds } from "./sandbox-refunds.ts";

/** Milliseconds until the customer pays. */
const payingMs = 1_000;

/** Queue of late orders. */
const queue = "payments";

/** Beginning of a stored method's id; the rest is the order that stored it. */
const methodPrefix = "method-";

const mandateRevoked: PaymentOutcome = {
  outcome: "refused",
  reason: "mandate-revoked",
  message: "The customer withdrew the mandate.",
};

/**
 * The simulated payment provider. Its customers pay a second after the order is taken, except where a label says otherwise, and it
 * sends them straight back to the order's page.
 */
export class SandboxPayments implements PaymentProvider {
  readonly name = "sandbox";
  readonly methods = ["card"];
  readonly #parts: SandboxParts & { readonly lateMs: number };
  readonly #statements: ReturnType<typeof prepare>;
  readonly #refunds: SandboxRefunds;

  constructor(parts: SandboxParts & { readonly lateMs: number }) {
    this.#parts = parts;
    this.#refunds = new SandboxRefunds(parts);
    this.#statements = prepare(parts.database);
  }

  async order(order: PaymentOrder): Promise<PaymentOutcome> {
    return this.#parts.line.call<PaymentOutcome>(0, () => {
      this.#payLateOrders();
      const { orderId, amountCents, returnUrl } = order;
      const fate = paymentFateOf(orderId, amountCents);
      const answer = { outcome: "pending", redirectUrl: returnUrl } as const;
      if (this.#find(orderId) !== undefined) return answer;
      if (order.storedMethod !== undefined && !this.#hasMethod(order.storedMethod)) return mandateRevoked;
      switch (fate) {
        case "mandate-revoked":
          return mandateRevoked;
        case "late":
          this.#parts.lateOrders.takeDown(queue, orderId, orderId, encodePaymentOrder(order));
          return noAnswer;
        case "limbo":
          this.#take(order, this.#parts.clock.epochMilliseconds() + this.#parts.limboMs);
          return noAnswer;
        case "lost":
          this.#take(order, 0);
          return noAnswer;
        case "paid":
        case "declined":
        case "partial":
        case "overpaid":
        case "chargeback":
          this.#take(order, 0);
          return answer;
      }
    });
  }

  async inquire(orderId: string): Promise<Outcome<PaymentStanding>> {
    return this.#parts.line.call<Outcome<PaymentStanding>>(0, () => {
      this.#payLateOrders();
      const row = this.#find(orderId);
      if (row === undefined) {
        this.#parts.lateOrders.askedAbout(queue, orderId);
        return done({ state: "none" });
      }
      const nowMs = this.#parts.clock.epochMilliseconds();
      if (nowMs < integer(row, "settles_at_ms")) return unknown("The sandbox does not know yet.");
      const order = decodePaymentOrder(text(row, "content"));
      const paidAtMs = integer(row, "paid_at_ms");
      if (nowMs < paidAtMs) return done({ state: "pending", redirectUrl: order.returnUrl });
      return done(this.#standingOf(order, paidAtMs));
    });
  }

  async removeMethod(methodId: string): Promise<Outcome<undefined>> {
    return this.#parts.line.call<Outcome<undefined>>(0, () => {
      const isRepeated = this.#statements.isRemoved.get(methodId) !== undefined;
      this.#statements.remove.run(methodId);
      return methodId.includes("lost") && !isRepeated ? noAnswer : done(undefined);
    });
  }

  #hasMethod(methodId: string): boolean {
    const row = this.#find(methodId.slice(methodPrefix.length));
    const isStored = row !== undefined && decodePaymentOrder(text(row, "content")).storesMethod === true;
    return (
      isStored && methodId.startsWith(methodPrefix) && this.#statements.isRemoved.get(methodId) === undefined
    );
  }

  async refund(order: RefundOrder): Promise<RefundOutcome> {
    return this.#parts.line.call<RefundOutcome>(0, () => {
      this.#payLateOrders();
      return this.#refunds.refund(order, this.#refundable(order.orderId));
    });
  }

  async inquireRefund({ refundId }: Pick<RefundOrder, "refundId">): Promise<Outcome<RefundStanding>> {
    return this.#parts.line.call<Outcome<RefundStanding>>(0, () => this.#refunds.inquire(refundId));
  }

  async listMovements(question: MovementQuestion): Promise<Outcome<MovementPage>> {
    return this.#parts.line.call<Outcome<MovementPage>>(0, () => {
      this.#payLateOrders();
      const { clock, lateMs } = this.#parts;
      const nowMs = clock.epochMilliseconds();
      // What comes back or is charged back moves after `lateMs`.
      const sinceMs = Date.parse(question.from) - lateMs;
      const span = [sinceMs, Date.parse(question.to)] as const;
      const made = this.#statements.movedIn
        .all(...span, ...span)
        .filter((row) => nowMs >= integer(row, "paid_at_ms") && nowMs >= integer(row, "settles_at_ms"));
      return pageOfMovements(
        made.map((row) => {
          const order = decodePaymentOrder(text(row, "content"));
          const paidAtMs = integer(row, "paid_at_ms");
          return {
            orderId: order.orderId,
            standing: this.#standingOf(order, paidAtMs),
            paidAtMs,
            returnedAtMs: paidAtMs + lateMs,
            refunds: this.#refunds.madeOf(order.orderId),
          };
        }),
        question,
      );
    });
  }

  /** Returns the amount of an order that was paid and not taken back, in cents (EUR). */
  #refundable(orderId: string): bigint {
    const row = this.#find(orderId);
    const nowMs = this.#parts.clock.epochMilliseconds();
    if (row === undefined || nowMs < integer(row, "paid_at_ms")) return 0n;
    const order = decodePaymentOrder(text(row, "content"));
    const standing = this.#standingOf(order, integer(row, "paid_at_ms"));
    return standing.state === "settled" ? standing.settlement.amountCents : 0n;
  }

  /** Returns the state of a payment that was made. Where its label says so, it is charged back after a while. */
  #standingOf(order: PaymentOrder, paidAtMs: number): PaymentStanding {
    const fate = paymentFateOf(order.orderId, order.amountCents);
    if (fate === "declined")
      return { state: "failed", because: "declined", message: "The sandbox's bank declines the card." };
    const settlement = settlementOf(order, fate, paidAtMs);
    const returnedAtMs = paidAtMs + this.#parts.lateMs;
    if (fate !== "chargeback" || this.#parts.clock.epochMilliseconds() < returnedAtMs)
      return { state: "settled", settlement };
    return {
      state: "returned",
      settlement,
      amountCents: settlement.amountCents - this.#refunds.madeBefore(order.orderId, returnedAtMs),
      message: "The holder of the card charged the payment back.",
      valueDate: settlement.valueDate,
    };
  }

  #find(orderId: string): Row | undefined {
    return this.#statements.find.get(orderId);
  }

  #take(
    order: PaymentOrder,
    settlesAtMs: number,
    paidAtMs = this.#parts.clock.epochMilliseconds() + payingMs,
  ): void {
    this.#statements.insert.run(order.orderId, encodePaymentOrder(order), paidAtMs, settlesAtMs);
  }

  #payLateOrders(): void {
    this.#parts.lateOrders.carryOutDue(queue, (content, dueAtMs) => {
      this.#take(decodePaymentOrder(content), 0, dueAtMs);
    });
  }
}

function settlementOf(
  { orderId, method, amountCents, storesMethod = false }: PaymentOrder,
  fate: PaymentFate,
  paidAtMs: number,
): Settlement {
  const paidCents =
    fate === "partial" ? (amountCents + 1n) / 2n : fate === "overpaid" ? amountCents * 2n : amountCents;
  return {
    amountCents: paidCents,
    // Like a card: 1.5 % and 25 cents.
    feeCents: (paidCents * 15n) / 1_000n + 25n,
    providerReference: `sandbox-${orderId}`,
    valueDate: new Date(paidAtMs).toISOString().slice(0, 10),
    ...(storesMethod && {
      storedMethod: { id: `${methodPrefix}${orderId}`, kind: method, label: "Sandbox …4242" },
    }),
  };
}

function prepare(database: SandboxParts["database"]) {
  return {
    find: database.prepare("SELECT * FROM payment WHERE order_id = ?"),
    movedIn: database.prepare(
      `SELECT * FROM payment WHERE (paid_at_ms >= ? AND paid_at_ms < ?)
         OR order_id IN (SELECT order_id FROM refund WHERE made_at_ms >= ? AND made_at_ms < ?)`,
    ),
    isRemoved: database.prepare("SELECT 1 FROM removed_method WHERE method_id = ?"),
    remove: database.prepare("INSERT INTO removed_method VALUES (?) ON CONFLICT DO NOTHING"),
    insert: database.prepare("INSERT INTO payment VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"),
  };
}
