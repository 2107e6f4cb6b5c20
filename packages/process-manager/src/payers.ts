import type { Accounts, PayingAccount } from "@hostledger/event-store";
import type { Logger } from "@hostledger/runtime";

/** The accounts that pay for renewals which nobody orders. */
export interface Payers {
  /**
   * What the account has in cents (EUR), where that covers the amount; the next one that is asked about gets what is left.
   * @returns undefined where it does not, or where the account cannot be read.
   */
  covering(accountId: number, cents: bigint): Promise<bigint | undefined>;
  /**
   * Whether its personal data was erased: nothing is charged to it any more.
   * @throws Error where there is no such account, or where it cannot be read.
   */
  isErased(accountId: number): Promise<boolean>;
}

/** Looks at every account once: for one round. */
export function createPayers({
  accounts,
  logger,
}: {
  readonly accounts: Pick<Accounts, "find">;
  readonly logger: Pick<Logger, "warn">;
}): Payers {
  const looks = new Map<number, Promise<PayingAccount>>();
  const left = new Map<number, bigint>();
  const look = (accountId: number): Promise<PayingAccount> => {
    const known = looks.get(accountId);
    if (known !== undefined) return known;
    const found = accounts.find(accountId).then((found) => {
      if (found === undefined) throw new Error(`there is no account ${String(accountId)}`);
      return found.account;
    });
    looks.set(accountId, found);
    return found;
  };
  const balanceOf = async (accountId: number): Promise<bigint> => {
    try {
      return (await look(accountId)).balanceCents;
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
    isErased: async (accountId) => (await look(accountId)).erasedAt !== undefined,
  };
}
