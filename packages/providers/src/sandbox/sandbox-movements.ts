import { done, refused, type Outcome } from "../outcome.ts";
import {
  movementPageSize,
  type MovementPage,
  type MovementQuestion,
  type PaymentStanding,
  type ProviderMovement,
  type RefundStanding,
} from "../payment/payments.port.ts";
import { instantOf } from "./sandbox-clock.ts";

/** Movements of the simulated payment provider's balance, computed from its payments and refunds. */

/** A payment that was made. */
export interface MadePayment {
  readonly orderId: string;
  readonly standing: PaymentStanding;
  /** Unix time in milliseconds. */
  readonly paidAtMs: number;
  /** Time of a chargeback, Unix time in milliseconds. */
  readonly returnedAtMs: number;
  readonly refunds: readonly MadeRefund[];
}

/** A refund that was made. */
export interface MadeRefund {
  readonly refundId: string;
  readonly amountCents: bigint;
  readonly standing: RefundStanding;
  /** Unix time in milliseconds. */
  readonly madeAtMs: number;
  /** Time at which a refund that fails comes back, Unix time in milliseconds. */
  readonly backAtMs: number;
}

/** Lists the movements of payments in a span, the earliest first. */
export function pageOfMovements(
  payments: readonly MadePayment[],
  { from, to, after }: MovementQuestion,
): Outcome<MovementPage> {
  const listed = payments
    .flatMap(movementsOf)
    .filter(({ at }) => at >= from && at < to)
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const before = listed.findIndex(({ id }) => id === after);
  if (after !== "" && before === -1) return refused("rejected", "The sandbox has no such page.");
  const movements = listed.slice(before + 1, before + 1 + movementPageSize);
  const isLast = before + 1 + movements.length === listed.length;
  return done({ movements, next: isLast ? "" : (movements.at(-1)?.id ?? "") });
}

function placeOf({ at, id }: ProviderMovement): string {
  return `${at} ${id}`;
}

function movementsOf({
  orderId,
  standing,
  paidAtMs,
  returnedAtMs,
  refunds,
}: MadePayment): readonly ProviderMovement[] {
  if (standing.state !== "settled" && standing.state !== "returned") return [];
  const { amountCents, feeCents, providerReference } = standing.settlement;
  const payment = { orderId, refundId: "", providerReference };
  return [
    movement(
      { ...payment, kind: "settlement", id: `settlement-${orderId}`, amountCents, feeCents },
      paidAtMs,
    ),
    ...refunds.flatMap((refund) => movementsOfRefund(orderId, refund)),
    ...(standing.state === "returned"
      ? [
          movement(
            {
              ...payment,
              kind: "return",
              id: `return-${orderId}`,
              amountCents: -standing.amountCents,
              feeCents: 0n,
            },
            returnedAtMs,
          ),
        ]
      : []),
  ];
}

function movementsOfRefund(
  orderId: string,
  { refundId, amountCents, standing, madeAtMs, backAtMs }: MadeRefund,
): readonly ProviderMovement[] {
  const refund = { kind: "refund", orderId, refundId, feeCents: 0n } as const;
  const sent = {
    ...refund,
    providerReference: `sandbox-${refundId}`,
    id: `refund-${refundId}`,
    amountCents: -amountCents,
  };
  return [
    movement(sent, madeAtMs),
    ...(standing.state === "failed"
      ? [movement({ ...sent, id: `refund-back-${refundId}`, amountCents }, backAtMs)]
      : []),
  ];
}

function movement(
  moved: Omit<ProviderMovement, "at" | "currency" | "valueDate">,
  atMs: number,
): ProviderMovement {
  const at = instantOf(atMs);
  return { ...moved, currency: "EUR", valueDate: at.slice(0, 10), at };
}
