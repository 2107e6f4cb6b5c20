import {
  dayOf,
  quotaAggregate,
  standingRefusal,
  TemporarilyUnavailableError,
  type DailyQuota,
  type Rejection,
  type StandingQuota,
} from "@hostledger/core";
import { createLru, KeyedMutex } from "@hostledger/runtime/async";

import type { EventStore } from "../event-store.port.ts";
import { withAppend } from "../with-append.ts";
import type { CommandHandler } from "./command-handler.port.ts";
import { createCommandHandler } from "./command-handler.ts";
import type { CommandContext } from "./event-metadata.ts";
import { lastingRefusal } from "./recent-state.ts";

/** The caller, for the metadata of stored events. */
type Origin = Omit<CommandContext, "commandId">;

/** The answer to a request for one more resource under a standing quota. */
export type Entry =
  | {
      readonly entered: true;
      /** Call once, when the read model counts the resource or its creation has failed. */
      readonly leave: () => void;
    }
  | { readonly entered: false; readonly rejection: Rejection };

/** Limits accounts to their quotas (docs/adr/0048). */
export interface AccountQuotas {
  /**
   * Uses an amount of a daily quota.
   * @returns the refusal; undefined if the quota is sufficient.
   * @throws any error of the store.
   */
  use(accountId: number, quota: DailyQuota, amount: number, origin: Origin): Promise<Rejection | undefined>;
  /**
   * Counts a failed order as free changes, because its events stay although its money was returned.
   * @throws any error of the store.
   */
  countFailedOrder(accountId: number, origin: Origin): Promise<void>;
  /**
   * Returns the refusal of further orders today; undefined while the quota covers another failed order.
   * @throws any error of the store.
   */
  refusalOfOrders(accountId: number, origin: Origin): Promise<Rejection | undefined>;
  /**
   * Requests one more resource under a standing quota.
   * @param countStanding returns the count of the read model.
   * @throws any error of the store.
   */
  enter(accountId: number, quota: StandingQuota, countStanding: () => Promise<number>): Promise<Entry>;
}

export interface AccountQuotasOptions {
  readonly store: EventStore;
  /** Program and version for the metadata of every event. */
  readonly recordedBy: string;
  readonly clock: { now(): string };
  readonly ids: { uuid(): string };
}

/** Maximum accounts in the cache; the least recently used is evicted. */
const rememberedAccounts = 10_000;

/**
 * Makes the command handler for quotas. Every service of a process writes to the same streams with its own cache, so
 * answers are confirmed by the stream's tail, as between processes.
 */
export function createQuotaCommands({
  store,
  recordedBy,
}: Pick<AccountQuotasOptions, "store" | "recordedBy">): CommandHandler {
  const append: EventStore["append"] = (stream, expected, events) => store.append(stream, expected, events);
  const sharedStore = { ...withAppend(store, append), shared: true };
  return createCommandHandler({ store: sharedStore, recordedBy, cacheLimit: rememberedAccounts });
}

/** Free changes that a failed order counts as: it stores about as many events. */
const changesOfFailedOrder = 5;

/**
 * Time for which a process may still use a quota that staff lowered in another process, in milliseconds. A raised quota
 * applies at once.
 */
const lowersWithinMs = 10_000;

/** Maximum unused shares in the cache. An evicted share is lost. */
const rememberedRests = 2 * rememberedAccounts;

/** Counts existing resources plus the ones that are not in the read model yet. */
function standingEntries(commands: Pick<CommandHandler, "load">): Pick<AccountQuotas, "enter"> {
  const entering = new Map<string, number>();
  return {
    async enter(accountId, quota, countStanding) {
      const name = nameOf(accountId, quota);
      const here = entering.get(name) ?? 0;
      entering.set(name, here + 1);
      const leave = (): void => {
        const others = (entering.get(name) ?? 1) - 1;
        if (others === 0) entering.delete(name);
        else entering.set(name, others);
      };
      try {
        const standing = await countStanding().catch(noneWhileUnavailable);
        const rejection = await lastingRefusal(
          (maxAgeMs) => commands.load(quotaAggregate, String(accountId), maxAgeMs),
          (state) => standingRefusal(state, quota, standing + here),
          lowersWithinMs,
        );
        if (rejection === undefined) return { entered: true, leave };
        leave();
        return { entered: false, rejection };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** Limits orders that fail again and again. A paid order costs no look-up. */
function failedOrders(
  use: AccountQuotas["use"],
  clock: AccountQuotasOptions["clock"],
): Pick<AccountQuotas, "countFailedOrder" | "refusalOfOrders"> {
  /** By account, the day on which the quota could not cover another failed order. */
  const overdrawn = createLru<number, string>(rememberedAccounts);
  const count = (accountId: number, origin: Origin): Promise<Rejection | undefined> =>
    use(accountId, "free_writes_a_day", changesOfFailedOrder, origin);
  return {
    async countFailedOrder(accountId, origin) {
      const refusal = await count(accountId, origin);
      if (refusal !== undefined) overdrawn.set(accountId, dayOf(clock.now()));
    },

    async refusalOfOrders(accountId, origin) {
      if (overdrawn.get(accountId) !== dayOf(clock.now())) return undefined;
      // Staff may have raised the quota meanwhile.
      const refusal = await count(accountId, origin);
      if (refusal === undefined) overdrawn.delete(accountId);
      return refusal;
    },
  };
}

/**
 * Makes the account quotas. A process reserves shares of a daily quota in the stream `quota-<account>`, like blocks of
 * ids, so most uses need no read or write. Standing quotas are counted in the read model, plus resources in creation.
 */
export function createAccountQuotas({ clock, ids, ...written }: AccountQuotasOptions): AccountQuotas {
  const commands = createQuotaCommands(written);
  const rests = createLru<string, { day: string; left: number }>(rememberedRests);
  const taking = new KeyedMutex<string>();

  /** Uses the amount from the cached share. False if the share is too small. */
  function useRest(name: string, amount: number): boolean {
    const rest = rests.get(name);
    if (rest === undefined || rest.day < dayOf(clock.now()) || rest.left < amount) return false;
    rest.left -= amount;
    return true;
  }

  async function takePart(
    accountId: number,
    quota: DailyQuota,
    amount: number,
    origin: Origin,
  ): Promise<Rejection | undefined> {
    const name = nameOf(accountId, quota);
    const rest = rests.get(name);
    const at = clock.now();
    const left = rest !== undefined && rest.day >= dayOf(at) ? rest.left : 0;
    const taken = await commands.execute(
      quotaAggregate,
      String(accountId),
      { type: "TakeQuota", data: { accountId, quota, amount: amount - left, at } },
      { ...origin, commandId: ids.uuid() },
    );
    if (!taken.accepted) return taken.rejection;
    for (const { type, data } of taken.events) {
      if (type !== "QuotaTaken") continue;
      // Near midnight another process may already reserve for the next day; the two days' shares must not be added.
      const kept = rest?.day === data.day ? rest.left : 0;
      rests.set(name, { day: data.day, left: Math.max(0, kept + data.amount - amount) });
    }
    return undefined;
  }

  const use: AccountQuotas["use"] = async (accountId, quota, amount, origin) => {
    const name = nameOf(accountId, quota);
    if (useRest(name, amount)) return undefined;
    // Callers that waited for a share mostly find enough of it.
    return taking.run(name, async () =>
      useRest(name, amount) ? undefined : takePart(accountId, quota, amount, origin),
    );
  };

  return {
    use,

    ...failedOrders(use, clock),
    ...standingEntries(commands),
  };
}

function nameOf(accountId: number, quota: string): string {
  return `${quota} ${String(accountId)}`;
}

/** Counts 0 if the read model is being built, so that nobody is blocked meanwhile. */
function noneWhileUnavailable(error: unknown): number {
  if (error instanceof TemporarilyUnavailableError) return 0;
  throw error;
}
