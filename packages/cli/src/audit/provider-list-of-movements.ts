import { formatEuros } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";

/** A payment provider's movements in the form of `audit reconcile --provider-list`. */

/** A line of the list. */
export interface ListedMovement {
  readonly kind: "settlement" | "return" | "refund" | "refund-return" | "payout";
  readonly order_id: string;
  /** Of a refund only. */
  readonly refund_id?: string;
  readonly provider_reference: string;
  /** Euros, such as 20.00. */
  readonly amount: string;
  readonly fee: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** The list, and how many movements it leaves out. */
export interface ProviderList {
  readonly movements: readonly ListedMovement[];
  /** Movements of other installations at the same provider. */
  readonly foreign: number;
  /** Fees and other movements that are about no payment. */
  readonly others: number;
  /** Movements in other currencies than euros. */
  readonly currencies: number;
}

type Movement = Pick<
  admin.ProviderMovement,
  | "kind"
  | "orderId"
  | "refundId"
  | "providerReference"
  | "amountCents"
  | "feeCents"
  | "currency"
  | "at"
  | "isForeign"
>;

/**
 * Converts movements to the list. Money that was taken back and came again, such as a chargeback that we won or a payout that failed,
 * is not in the list, because the books do not have it either.
 */
export function listMovements(movements: readonly Movement[]): ProviderList {
  const own = movements.filter(({ isForeign }) => !isForeign);
  const inEuros = own.filter(({ currency }) => currency === "EUR");
  const known = inEuros.filter((movement) => kindOf(movement) !== undefined);
  const sums = new Map<string, bigint>();
  for (const movement of known)
    sums.set(subjectOf(movement), (sums.get(subjectOf(movement)) ?? 0n) + movement.amountCents);
  const listed = known.flatMap((movement): readonly ListedMovement[] => {
    const kind = kindOf(movement);
    const { orderId, refundId, providerReference, amountCents, feeCents, at } = movement;
    const cameBack = sums.get(subjectOf(movement)) === 0n && (kind === "return" || kind === "payout");
    if (kind === undefined || cameBack) return [];
    return [
      {
        kind,
        order_id: orderId,
        ...((kind === "refund" || kind === "refund-return") && { refund_id: refundId }),
        provider_reference: providerReference,
        amount: formatEuros(amountCents < 0n ? -amountCents : amountCents),
        fee: formatEuros(feeCents < 0n ? -feeCents : feeCents),
        at,
      },
    ];
  });
  return {
    movements: listed,
    foreign: movements.length - own.length,
    others: inEuros.length - known.length,
    currencies: own.length - inEuros.length,
  };
}

/** A refund that nobody ordered here is a return in the books. */
function kindOf({ kind, refundId, amountCents }: Movement): ListedMovement["kind"] | undefined {
  switch (kind) {
    case "settlement":
    case "payout":
    case "return":
      return kind;
    case "refund":
      if (refundId === "") return "return";
      return amountCents < 0n ? "refund" : "refund-return";
    default:
      return undefined;
  }
}

/** What a movement and the one that undoes it have in common. */
function subjectOf(movement: Movement): string {
  const { orderId, providerReference } = movement;
  const kind = kindOf(movement) ?? "";
  return kind === "return" && orderId !== "" ? `${kind} ${orderId}` : `${kind} ${providerReference}`;
}
