import { type HostingEvent, isTeamCharge, runRoleOf } from "@hostledger/core";

import { orderedCharge } from "../reconcile/charge-history.ts";
import { chargeName, chargeRow, type ChargeTable } from "../tables/charge-table.ts";
import type { Check } from "./check.ts";

export interface RunCounts {
  readonly started: number;
  readonly ended: number;
  /** Runs without an end; no finding, because their charges may still be delivered or refunded. */
  readonly unfinished: number;
}

/** Checks that every delivery was charged, and that every charge of an ended run was delivered or refunded. */
export function deliveriesCheck(charges: ChargeTable): Check & { readonly runs: () => RunCounts } {
  let started = 0;
  let ended = 0;
  return {
    runs: () => ({ started, ended, unfinished: started - ended }),
    see({ index, stored, accountId = 0, event }, report) {
      if (event === undefined) return;
      const role = runRoleOf(event.type);
      if (role === "begun") {
        charges.startedAt.set(charges.names.add(stored.stream), index + 1);
        started += 1;
      } else if (role === "ended") {
        charges.endedAt.set(charges.names.add(stored.stream), index + 1);
        ended += 1;
      }
      const ordered = orderedCharge(event);
      if (ordered !== undefined) charges.startedAt.set(charges.names.add(ordered), index + 1);
      // A team's charge has no run; its delivery is unknown here.
      if (event.type === "BalanceCharged" && isTeamCharge(event.data.chargeId))
        charges.startedAt.set(charges.names.add(chargeName(accountId, event.data.chargeId)), index + 1);
      const delivery = deliveryOf(event);
      if (delivery === undefined) return;
      const row = chargeRow(charges, delivery.accountId, delivery.chargeId);
      if (row === undefined) {
        report("deliveries", index, `delivers for ${delivery.chargeId}, which was never charged`);
        return;
      }
      if (charges.deliveredAt.get(row) > 0)
        report("deliveries", index, `delivers for ${delivery.chargeId} a second time`);
      charges.deliveredAt.set(row, index + 1);
      const fits =
        charges.accountId.get(row) === delivery.accountId &&
        charges.invoiceId.get(row) === delivery.invoiceId &&
        (delivery.grossCents === undefined || charges.grossCents.get(row) === delivery.grossCents);
      if (!fits)
        report("deliveries", index, `names another account, invoice or amount than ${delivery.chargeId} has`);
    },
    end(_size, report) {
      for (let row = 0; row < charges.names.size; row += 1) {
        const chargedAt = charges.chargedAt.get(row);
        if (chargedAt === 0) continue;
        const isDelivered = charges.deliveredAt.get(row) > 0;
        const isRefunded = charges.refundedCents.get(row) === charges.grossCents.get(row);
        if (charges.startedAt.get(row) === 0)
          report("deliveries", chargedAt - 1, "is charged without an order");
        if (isDelivered && charges.refundedCents.get(row) > charges.grantedCents.get(row))
          report("deliveries", charges.deliveredAt.get(row) - 1, "is delivered, and was refunded");
        if (!isDelivered && !isRefunded && charges.endedAt.get(row) > 0)
          report("deliveries", chargedAt - 1, "is charged, and neither delivered nor refunded");
      }
    },
  };
}

interface Delivery {
  readonly chargeId: string;
  readonly accountId: number;
  readonly invoiceId: number;
  /** Undefined if the event lacks the amount. */
  readonly grossCents: bigint | undefined;
}

function deliveryOf(event: HostingEvent): Delivery | undefined {
  switch (event.type) {
    case "DomainRegistered":
    case "DomainTransferredIn":
    case "DomainRenewed":
    case "ServerRenewed": {
      const { chargeId, accountId, invoiceId, grossCents } = event.data;
      return { chargeId, accountId, invoiceId, grossCents: BigInt(grossCents) };
    }
    case "ServerProvisioned": {
      const { chargeId, accountId, invoiceId } = event.data;
      // Gifts and imported servers have no charge.
      return chargeId === null || invoiceId === null
        ? undefined
        : { chargeId, accountId, invoiceId, grossCents: undefined };
    }
    default:
      return undefined;
  }
}
