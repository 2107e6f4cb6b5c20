import { setTimeout as pause } from "node:timers/promises";

import type { StaffClient } from "@hostledger/rpc";

import { limited } from "../../support/limited.ts";

/** Requests under way at a time. */
export const clients = 16;

/** Milliseconds between two looks at whether all payments were credited. */
const lookEveryMs = 50;

/** Milliseconds after which payments that were not credited are an error. */
const creditLimitMs = 300_000;

/** An instance whose staff are asked. */
interface Asked {
  readonly staff: StaffClient;
}

type Accounts = readonly { readonly accountId: number }[];

/** Adds up the balances of accounts, in cents (EUR). */
export async function balanceOfAll({ staff }: Asked, accounts: Accounts): Promise<bigint> {
  const inTurn = limited(clients);
  const balances = await Promise.all(
    accounts.map(({ accountId }) =>
      inTurn(() => staff.accounts.showAccount({ accountId: BigInt(accountId) })),
    ),
  );
  return balances.reduce((sum, { balanceCents }) => sum + balanceCents, 0n);
}

/** Waits until accounts have so many cents together. @throws Error after five minutes */
export async function untilCredited(asked: Asked, accounts: Accounts, wanted: bigint): Promise<void> {
  const until = performance.now() + creditLimitMs;
  while ((await balanceOfAll(asked, accounts)) < wanted) {
    if (performance.now() > until) throw new Error("not all payments were credited");
    await pause(lookEveryMs);
  }
}

/** Returns how many there were a second, until now. */
export function rateOf(count: number, beganAt: number): number {
  return (count * 1_000) / (performance.now() - beganAt);
}
