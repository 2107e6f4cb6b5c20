import type { AccountClient } from "@hostledger/rpc";
import type { Logger } from "@hostledger/runtime";

/** What accounts have, for renewals that wait for their customers' money. */
export interface Funds {
  /**
   * What the account has in cents (EUR), where that covers the amount; the next one that is asked about gets what is left.
   * @returns undefined where it does not, or where nobody tells.
   */
  covering(accountId: number, cents: bigint): Promise<bigint | undefined>;
}

/** Looks at every account once: for one round. */
export function createFunds({
  accounts,
  logger,
}: {
  readonly accounts: AccountClient;
  readonly logger: Pick<Logger, "warn">;
}): Funds {
  const left = new Map<number, bigint>();
  const balanceOf = async (accountId: number): Promise<bigint> => {
    try {
      const options = accounts.callOptions({ correlationId: `funds-${String(accountId)}` });
      return (await accounts.rpc.getAccount({ accountId: BigInt(accountId) }, options)).balanceCents;
    } catch (error) {
      logger.warn({ account: accountId, err: error }, "a balance could not be read: its renewals wait");
      return 0n;
    }
  };
  return {
    async covering(accountId, cents) {
      const available = left.get(accountId) ?? (await balanceOf(accountId));
      const isCovered = available >= cents;
      left.set(accountId, isCovered ? available - cents : available);
      return isCovered ? available : undefined;
    },
  };
}
