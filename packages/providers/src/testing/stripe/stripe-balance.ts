import type { Sent } from "./stripe-document.codec.ts";
import { expandsIn, fieldsIn, pageOf, type StripeMoney, StripeRefusal } from "./stripe-money.ts";
import { chargeObject, disputeObject, refundObject, type BalanceTransaction } from "./stripe-objects.ts";

/** A movement of our balance, with the object that it is about. */
interface Movement {
  readonly id: string;
  readonly transaction: BalanceTransaction;
  readonly source: { readonly id: string };
}

/** Lists the movements of an account's balance, newest first. @throws StripeRefusal for a page that is not there */
export function listMovements(money: StripeMoney, sent: Sent): unknown {
  const { gte = 0, lt = Number.MAX_SAFE_INTEGER } = fieldsIn(sent.created);
  const all = movementsOf(money);
  const { starting_after: after } = sent;
  if (after !== undefined && !all.some(({ id }) => id === after))
    throw new StripeRefusal(400, {
      type: "invalid_request_error",
      code: "resource_missing",
      message: "No such balance transaction",
    });
  const found = all.filter(({ transaction: { created } }) => created >= Number(gte) && created < Number(lt));
  const expands = expandsIn(sent, "data.source");
  return pageOf("/v1/balance_transactions", found, sent, ({ transaction, source }) => ({
    ...transaction,
    source: expands ? source : source.id,
  }));
}

function movementsOf({ charges, refunds, disputes, others }: StripeMoney): readonly Movement[] {
  const all = [
    ...charges.flatMap((charge) =>
      charge.balance === null ? [] : [{ transaction: charge.balance, source: chargeObject(charge, false) }],
    ),
    ...refunds.flatMap((refund) =>
      refund.balance === null ? [] : [{ transaction: refund.balance, source: refundObject(refund, false) }],
    ),
    ...disputes.flatMap((dispute) =>
      dispute.movements.map((transaction) => ({ transaction, source: disputeObject(dispute) })),
    ),
    ...others,
  ];
  return all
    .map((movement) => ({ ...movement, id: movement.transaction.id }))
    .sort((one, other) => numberOf(other) - numberOf(one));
}

/** Ids count up. */
function numberOf({ id }: Movement): number {
  return Number(id.split("_").at(-1));
}
