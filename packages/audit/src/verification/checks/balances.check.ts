import type { HostingEvent } from "@hostledger/core";
import type { Check } from "./check.ts";

/** Sums of all accounts' movements, in cents. */
export interface Totals {
  creditedCents: bigint;
  chargedCents: bigint;
  refundedCents: bigint;
  /** Adjustments by staff; negative if more was debited. */
  adjustedCents: bigint;
  /** Amount sent back to customers, less what did not arrive, in cents (EUR). */
  paidOutCents: bigint;
}

export interface Balances {
  /** Cents by account id. */
  readonly balances: ReadonlyMap<number, bigint>;
  readonly totals: Readonly<Totals>;
}

/** Checks that each balance in an event equals the sum of movements, and is negative only if staff allowed a debt. */
export function balancesCheck(): Check & Balances {
  const balances = new Map<number, bigint>();
  const totals: Totals = {
    creditedCents: 0n,
    chargedCents: 0n,
    refundedCents: 0n,
    adjustedCents: 0n,
    paidOutCents: 0n,
  };
  return {
    balances,
    totals,
    see({ index, accountId, event }, report) {
      if (event?.type === "AccountOpened") {
        if (accountId !== event.data.accountId)
          report("balances", index, `opens account ${String(event.data.accountId)} in another's stream`);
        else balances.set(accountId, balances.get(accountId) ?? 0n);
      }
      const movement = event && movementOf(event);
      if (movement === undefined) return;
      if (accountId === undefined) {
        report("balances", index, "moves money in a stream that is no account's");
        return;
      }
      if (!balances.has(accountId)) report("balances", index, "moves money of an account that is not open");
      if (movement.cents < 0n && movement.total !== "adjustedCents" && !movement.isBack)
        report("balances", index, "moves a negative amount");
      totals[movement.total] += movement.cents;
      const isDebit = movement.total === "chargedCents" || movement.total === "paidOutCents";
      const change = isDebit ? -movement.cents : movement.cents;
      const balance = (balances.get(accountId) ?? 0n) + change;
      balances.set(accountId, balance);
      if (movement.statedCents !== balance) {
        const stated = String(movement.statedCents);
        report("balances", index, `tells a balance of ${stated} cents, it is ${String(balance)}`);
      }
      if (balance < 0n && change < 0n && !movement.debtAllowed)
        report("balances", index, `leaves a balance of ${String(balance)} cents`);
    },
    end() {
      // Each movement was checked when it was read.
    },
  };
}

interface Movement {
  readonly total: keyof Totals;
  readonly cents: bigint;
  readonly statedCents: bigint;
  /** True if staff allowed a negative balance. */
  readonly debtAllowed: boolean;
  /** True for money that did not arrive and came back: it reduces its total. */
  readonly isBack: boolean;
}

function movementOf(event: HostingEvent): Movement | undefined {
  switch (event.type) {
    case "BalanceCredited": {
      const { amountCents, balanceAfterCents } = event.data;
      return moved("creditedCents", amountCents, balanceAfterCents);
    }
    case "BalanceAdjusted": {
      const { amountCents, balanceAfterCents, debtAllowed } = event.data;
      return { ...moved("adjustedCents", amountCents, balanceAfterCents), debtAllowed };
    }
    case "BalancePaidOut": {
      const { amountCents, balanceAfterCents } = event.data;
      return moved("paidOutCents", amountCents, balanceAfterCents);
    }
    case "PaidOutReturned": {
      const { amountCents, balanceAfterCents } = event.data;
      return { ...moved("paidOutCents", `-${amountCents}`, balanceAfterCents), isBack: true };
    }
    case "BalanceCharged": {
      const { grossCents, balanceAfterCents } = event.data;
      return moved("chargedCents", grossCents, balanceAfterCents);
    }
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded": {
      const { grossCents, balanceAfterCents } = event.data;
      return moved("refundedCents", grossCents, balanceAfterCents);
    }
    default:
      return undefined;
  }
}

function moved(total: keyof Totals, cents: string, statedCents: string): Movement {
  return { total, cents: BigInt(cents), statedCents: BigInt(statedCents), debtAllowed: false, isBack: false };
}
