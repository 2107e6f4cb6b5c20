import { done, refused, unknown, type Outcome } from "../outcome.ts";
import {
  outcomeOfRefund,
  type RefundOrder,
  type RefundOutcome,
  type RefundStanding,
} from "../payment/payments.port.ts";
import { noAnswer } from "./line.ts";
import { refundFateOf } from "./payment-labels.ts";
import { decodeRefundOrder, encodeRefundOrder } from "./sandbox-contents.codec.ts";
import { integer, text, type Row } from "./sandbox-database.ts";
import type { MadeRefund } from "./sandbox-movements.ts";
import type { SandboxParts } from "./sandbox-parts.ts";

/** Queue of late refunds. */
const queue = "refunds";

/** Refunds of the simulated payment provider. Its calls run inside a request of the provider. */
export class SandboxRefunds {
  readonly #parts: SandboxParts & { readonly lateMs: number };
  readonly #statements: ReturnType<typeof prepare>;

  constructor(parts: SandboxParts & { readonly lateMs: number }) {
    this.#parts = parts;
    this.#statements = prepare(parts.database);
  }

  /** @param refundableCents amount paid and not taken back; 0 if there is nothing to refund */
  refund(order: RefundOrder, refundableCents: bigint): RefundOutcome | typeof noAnswer {
    this.#makeLate();
    const { orderId, refundId, amountCents } = order;
    const known = this.#statements.find.get(refundId);
    if (known !== undefined) return outcomeOfRefund(this.#standing(known));
    const made = this.#statements.ofPayment.all(orderId).reduce((cents, row) => {
      return cents + (this.#standing(row).state === "failed" ? 0n : BigInt(text(row, "amount_cents")));
    }, 0n);
    if (amountCents <= 0n || amountCents > refundableCents - made)
      return refused("rejected", "The amount exceeds what is left of the payment.");
    const nowMs = this.#parts.clock.epochMilliseconds();
    switch (refundFateOf(amountCents)) {
      case "refused":
        return refused("rejected", "The sandbox refuses the refund.");
      case "late":
        this.#parts.lateOrders.takeDown(queue, refundId, refundId, encodeRefundOrder(order));
        return noAnswer;
      case "limbo":
        this.#make(order, nowMs, nowMs + this.#parts.limboMs);
        return noAnswer;
      case "lost":
        this.#make(order, nowMs, 0);
        return noAnswer;
      case "made":
      case "comes-back":
        return outcomeOfRefund(this.#make(order, nowMs, 0));
    }
  }

  /** Lists the refunds of a payment that were made and are known, also those that came back. */
  madeOf(orderId: string): readonly MadeRefund[] {
    this.#makeLate();
    const nowMs = this.#parts.clock.epochMilliseconds();
    return this.#statements.ofPayment
      .all(orderId)
      .filter((row) => nowMs >= integer(row, "settles_at_ms"))
      .map((row) => {
        const madeAtMs = integer(row, "made_at_ms");
        return {
          refundId: text(row, "refund_id"),
          amountCents: BigInt(text(row, "amount_cents")),
          standing: this.#standing(row),
          madeAtMs,
          backAtMs: madeAtMs + this.#parts.lateMs,
        };
      });
  }

  /** Returns the cents (EUR) of a payment's refunds that were made before a time. @param beforeMs Unix time in milliseconds */
  madeBefore(orderId: string, beforeMs: number): bigint {
    this.#makeLate();
    return this.#statements.ofPayment
      .all(orderId)
      .filter((row) => integer(row, "made_at_ms") < beforeMs)
      .reduce((sum, row) => sum + BigInt(text(row, "amount_cents")), 0n);
  }

  inquire(refundId: string): Outcome<RefundStanding> {
    this.#makeLate();
    const row = this.#statements.find.get(refundId);
    if (row === undefined) {
      this.#parts.lateOrders.askedAbout(queue, refundId);
      return done({ state: "none" });
    }
    if (this.#parts.clock.epochMilliseconds() < integer(row, "settles_at_ms"))
      return unknown("The sandbox does not know yet.");
    return done(this.#standing(row));
  }

  #make({ orderId, refundId, amountCents }: RefundOrder, atMs: number, settlesAtMs: number): RefundStanding {
    this.#statements.insert.run(refundId, orderId, String(amountCents), atMs, settlesAtMs);
    const row = this.#statements.find.get(refundId);
    if (row === undefined) throw new Error(`the refund ${refundId} was stored but is not there`);
    return this.#standing(row);
  }

  #standing(row: Row): RefundStanding {
    const amountCents = BigInt(text(row, "amount_cents"));
    const madeAtMs = integer(row, "made_at_ms");
    const isLongAgo = madeAtMs + this.#parts.lateMs <= this.#parts.clock.epochMilliseconds();
    if (refundFateOf(amountCents) === "comes-back" && isLongAgo)
      return { state: "failed", message: "The customer's bank sent the money back." };
    const settlement = {
      amountCents,
      providerReference: `sandbox-${text(row, "refund_id")}`,
      valueDate: new Date(madeAtMs).toISOString().slice(0, 10),
    };
    return { state: "settled", settlement };
  }

  #makeLate(): void {
    this.#parts.lateOrders.carryOutDue(queue, (content, dueAtMs) => {
      this.#make(decodeRefundOrder(content), dueAtMs, 0);
    });
  }
}

function prepare(database: SandboxParts["database"]) {
  return {
    find: database.prepare("SELECT * FROM refund WHERE refund_id = ?"),
    ofPayment: database.prepare("SELECT * FROM refund WHERE order_id = ?"),
    insert: database.prepare("INSERT INTO refund VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
  };
}
