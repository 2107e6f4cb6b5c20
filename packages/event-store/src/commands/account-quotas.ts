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

/** Who asks, for the metadata of what is stored. */
type Origin = Omit<CommandContext, "commandId">;

/** One more of what a standing quota counts, or why there is none. */
export type Entry =
  | {
      readonly entered: true;
      /** To be called, once, when the read model counts it or it came to nothing. */
      readonly leave: () => void;
    }
  | { readonly entered: false; readonly rejection: Rejection };

/** Keeps accounts within their quotas (docs/adr/0048). */
export interface AccountQuotas {
  /** Uses so much of a day's quota. @returns why not; undefined where it may. @throws whatever the store throws. */
  use(accountId: number, quota: DailyQuota, amount: number, origin: Origin): Promise<Rejection | undefined>;
  /**
   * Counts an order that came to nothing as free changes: its money went back, and its events stay.
   * @throws whatever the store throws.
   */
  countFailedOrder(accountId: number, origin: Origin): Promise<void>;
  /**
   * Why the account may order nothing more today; undefined while a failed order still finds enough of the quota.
   * @throws whatever the store throws.
   */
  refusalOfOrders(accountId: number, origin: Origin): Promise<Rejection | undefined>;
  /** Asks for one more. @param countStanding how many the read model counts. @throws whatever the store throws. */
  enter(accountId: number, quota: StandingQuota, countStanding: () => Promise<number>): Promise<Entry>;
}

/** What it is made of. */
export interface AccountQuotasOptions {
  readonly store: EventStore;
  /** The program that goes into every event's metadata. */
  readonly recordedBy: string;
  readonly clock: { now(): string };
  readonly ids: { uuid(): string };
}

/** Accounts whose quotas stay in memory while nobody uses them. */
const rememberedAccounts = 10_000;

/**
 * Handles the commands to quotas. Every service of a process writes to the same streams, with a memory of its own: what is
 * answered is read from the stream's tail, as where other processes write.
 */
export function createQuotaCommands({
  store,
  recordedBy,
}: Pick<AccountQuotasOptions, "store" | "recordedBy">): CommandHandler {
  const append: EventStore["append"] = (stream, expected, events) => store.append(stream, expected, events);
  const sharedStore = { ...withAppend(store, append), shared: true };
  return createCommandHandler({ store: sharedStore, recordedBy, cacheLimit: rememberedAccounts });
}

/** Free changes that a failed order counts: it stores so many times the events of a free change, or a few more. */
const changesOfFailedOrder = 5;

/** How long a quota that staff lowers elsewhere may be taken for what it was, in milliseconds; one that is raised never is. */
const lowersWithinMs = 10_000;

/** Accounts whose rest of a taken part stays in memory, by quota; of others the rest is lost. */
const rememberedRests = 2 * rememberedAccounts;

/** Counts what stands, with what is on its way to become a row. */
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

/** Keeps an account from ordering on and on what comes to nothing. An order that is paid costs no look-up. */
function failedOrders(
  use: AccountQuotas["use"],
  clock: AccountQuotasOptions["clock"],
): Pick<AccountQuotas, "countFailedOrder" | "refusalOfOrders"> {
  /** Days on which an account's failed orders found too little of the quota. */
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
      // Staff may have given the account more.
      const refusal = await count(accountId, origin);
      if (refusal === undefined) overdrawn.delete(accountId);
      return refusal;
    },
  };
}

/**
 * Gives out a day's quota from parts that are taken in the stream `quota-<account>`, as ids are given out from blocks: most
 * uses cost no write and no read. What stands is counted by whoever asks, in rows, and those that are on their way to become
 * rows here.
 */
export function createAccountQuotas({ clock, ids, ...written }: AccountQuotasOptions): AccountQuotas {
  const commands = createQuotaCommands(written);
  const rests = createLru<string, { day: string; left: number }>(rememberedRests);
  const taking = new KeyedMutex<string>();

  /** Whether the rest that is here is enough; then it is used. */
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
      // A part of the next day, where another process's midnight came first, does not go with the rest of this one.
      const kept = rest?.day === data.day ? rest.left : 0;
      rests.set(name, { day: data.day, left: Math.max(0, kept + data.amount - amount) });
    }
    return undefined;
  }

  const use: AccountQuotas["use"] = async (accountId, quota, amount, origin) => {
    const name = nameOf(accountId, quota);
    if (useRest(name, amount)) return undefined;
    // Those who waited for a part mostly find enough of it left.
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

/** A read model that is still being built keeps nobody from anything: what is on its way here counts all the same. */
function noneWhileUnavailable(error: unknown): number {
  if (error instanceof TemporarilyUnavailableError) return 0;
  throw error;
}
