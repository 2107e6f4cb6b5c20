import { addMilliseconds, type Next } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import {
  pauseAfterFailures,
  workKind,
  type AnyWorkKind,
  type DueKey,
  type EffectEnd,
} from "@hostledger/work";
import type { ReadModelDatabase } from "@hostledger/read";
import type { WorkSchema } from "@hostledger/work/work-table";

import type { NoticeQueries } from "../reads/notice.queries.ts";
import type { Deliveries, Delivery, DeliverySchema } from "./deliveries.ts";
import type { Channel, Receiver, ReceiverAnswer, ReceiverGone } from "./receiver.ts";

/** Retry period of a delivery, in milliseconds: three days. */
const triedForMs = 3 * 86_400_000;

/** The pauses between attempts at one delivery. */
const pauses = { firstMs: 5_000, longestMs: 21_600_000 };

/** Pauses of a receiver whose attempts fail, for all of its deliveries. */
const retry = { firstMs: 5_000, longestMs: 60_000 };

/** Receivers of one account that are sent to at a time, and deliveries to one of them. */
const atOnce = 4;

interface DeliveringOptions {
  readonly deliveries: Pick<Deliveries, "waiting" | "attempted" | "hasTakenSince" | "giveUp">;
  readonly receivers: DueReceivers;
  readonly queries: Pick<NoticeQueries, "isErased">;
  /** Left out where nothing is sent this way any more. */
  readonly receiver: Receiver | undefined;
  readonly clock: Clock;
}

/** Deliveries that wait for a receiver: one per resource, the earliest due first. */
interface Waiting {
  readonly deliveries: readonly Delivery[];
  /** The last attempt failed: one delivery is tried at a time. */
  readonly isFailing: boolean;
}

interface Send {
  readonly type: "send";
  readonly deliveries: readonly Delivery[];
}

const sent = { outcome: "done", step: "sent" } as const;

/**
 * Defines the deliveries of one channel as a kind of work, with receivers as keys. The deliveries decide when their
 * receiver is due.
 */
export function deliveringWork(channel: Channel, options: DeliveringOptions): AnyWorkKind {
  const { deliveries, receivers, clock } = options;
  return workKind<Waiting, Send>({
    name: channel,
    needsTrustedTime: false,
    due: { atOnce, read: (now, after, limit) => receivers.dueTargets(channel, now, after, limit) },
    load: async (target) => ({
      deliveries: await deliveries.waiting(target, atOnce),
      isFailing: await receivers.isFailing(channel, target),
    }),
    next: nextToSend,
    effects: {
      send: {
        retry,
        async carryOut({ deliveries: due }, _state, signal) {
          const ends = await Promise.all(
            due.map((delivery) => attempt({ ...options, signal }, delivery).catch(failed)),
          );
          const failures = ends.filter((end) => end.outcome === "failed");
          // A delivery whose attempt could not be recorded is first, after the maximum pause.
          return (
            failures.find(({ retryAt }) => retryAt === undefined) ??
            failures.toSorted((one, other) => ((one.retryAt ?? "") < (other.retryAt ?? "") ? 1 : -1))[0] ??
            sent
          );
        },
      },
    },
  });

  function failed(error: unknown): EffectEnd {
    // The delivery stays due and may be sent once more.
    return { outcome: "failed", reason: String(error) };
  }

  function nextToSend({ deliveries: waiting, isFailing }: Waiting, now: string): Next<Send> {
    const due = waiting.filter(({ next_at: dueAt }) => dueAt <= now);
    if (due.length > 0) return { do: { type: "send", deliveries: isFailing ? due.slice(0, 1) : due } };
    const [first] = waiting;
    return first === undefined ? "done" : { wait: first.next_at };
  }

  /** Makes one attempt and records the result. */
  async function attempt(
    options: DeliveringOptions & { readonly signal: AbortSignal },
    delivery: Delivery,
  ): Promise<EffectEnd> {
    const answer = await send(options, delivery);
    if ("gone" in answer) {
      await deliveries.giveUp(delivery.target, answer.gone, answer.since);
      return sent;
    }
    const { status, error, isFinal = false, retryAfterMs, disabled } = answer;
    // An attempt that the end of the process cut off counts as not begun.
    if (error !== null && options.signal.aborted) return sent;
    const at = clock.now();
    if (error === null || isFinal || disabled !== undefined) {
      await deliveries.attempted(delivery.id, { at, answer: status, error, nextAt: null });
      if (disabled !== undefined) await deliveries.giveUp(delivery.target, disabled);
      return sent;
    }
    // The requested pause counts only if it is longer than ours, because a receiver could always ask for a
    // second.
    const pauseMs = Math.max(pauseAfterFailures(delivery.attempts + 1, pauses), retryAfterMs ?? 0);
    const isOver = at >= addMilliseconds(delivery.tried_since, triedForMs);
    const nextAt = isOver ? null : addMilliseconds(at, pauseMs);
    await deliveries.attempted(delivery.id, { at, answer: status, error, nextAt });
    if (isOver) await giveUpOnce(options, delivery, at);
    const restMs = retryAfterMs === undefined ? Math.min(pauseMs, retry.longestMs) : pauseMs;
    return { outcome: "failed", reason: error, retryAt: addMilliseconds(at, restMs) };
  }
}

async function send(
  { queries, receiver, clock, signal }: DeliveringOptions & { readonly signal: AbortSignal },
  delivery: Delivery,
): Promise<ReceiverAnswer | ReceiverGone> {
  // Sealed data of an erased account may still be decrypted in memory, so nothing is sent.
  if (await queries.isErased(delivery.account_id)) return { gone: "the account was erased" };
  if (receiver === undefined) return { gone: "nothing is sent this way any more" };
  return receiver.send(delivery, clock.now(), signal);
}

/** Gives up once if a receiver accepted nothing during the whole retry period. */
async function giveUpOnce(
  { deliveries, receiver }: DeliveringOptions,
  delivery: Delivery,
  at: string,
): Promise<void> {
  if (await deliveries.hasTakenSince(delivery.target, delivery.tried_since)) return;
  const reason = await receiver?.tookNothing(delivery, at);
  if (reason !== undefined) await deliveries.giveUp(delivery.target, reason);
}

/** Receivers as the engine's keys. */
interface DueReceivers {
  /** Receivers for which something is due at an instant and that no failed attempt pauses, by name, behind one, at most so many. */
  dueTargets(channel: Channel, at: string, after: string, limit: number): Promise<readonly DueKey[]>;
  /** Returns whether the last attempt at a receiver failed. */
  isFailing(channel: Channel, target: string): Promise<boolean>;
}

/** Reads from the deliveries which receivers are due, and from the engine's failures which are paused. */
export function dueReceivers({
  queries,
}: Pick<ReadModelDatabase<DeliverySchema & WorkSchema>, "queries">): DueReceivers {
  return {
    async dueTargets(channel, at, after, limit) {
      const rows = await queries
        .selectFrom("notice_deliveries")
        .leftJoin("work_failures", (join) =>
          join.on("work_failures.kind", "=", channel).onRef("work_failures.key", "=", "target"),
        )
        .select(["target", "account_id", "work_failures.attempts as failed"])
        .where("status", "=", "pending")
        .where("next_at", "<=", at)
        .where("target", "like", `${channel}-%`)
        .where("target", ">", after)
        // A failure later than now is of a clock that was ahead.
        .where((is) =>
          is.or([is("retry_at", "is", null), is("retry_at", "<=", at), is("failed_at", ">", at)]),
        )
        .groupBy(["target", "account_id", "work_failures.attempts"])
        .orderBy("target")
        .limit(limit)
        .execute();
      return rows.map(({ target: key, account_id: accountId, failed }) => ({
        key,
        accountId,
        isFailing: failed !== null,
      }));
    },
    async isFailing(channel, target) {
      const failures = queries.selectFrom("work_failures").select("attempts").where("kind", "=", channel);
      return (await failures.where("key", "=", target).executeTakeFirst()) !== undefined;
    },
  };
}
