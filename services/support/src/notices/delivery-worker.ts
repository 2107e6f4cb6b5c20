import { addMilliseconds } from "@hostledger/core";
import { Backoff } from "@hostledger/runtime/async";
import type { Clock, Logger } from "@hostledger/runtime";

import type { NoticeQueries } from "../reads/notice.queries.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { channelOf, type ReceiverAnswer, type ReceiverGone, type Receivers } from "./receiver.ts";

/** How long a delivery is tried, in milliseconds: three days. */
const triedForMs = 3 * 86_400_000;

/** The pauses between attempts at one delivery. */
const pauses = { firstMs: 5_000, longestMs: 21_600_000 };

/** How long a receiver that failed is left alone whatever waits for it, in milliseconds at most. */
const longestRestMs = 60_000;

/** Attempts under way at one receiver, at all that work, and at all that failed last: those that hang hold up each other only. */
const limits = { target: 4, working: 24, failing: 8 };

/** Receivers looked at in one round. */
const targetsAtOnce = 1_000;

/** Sends what is due. */
export interface DeliveryWorker {
  /** Begins what is due and has room; waits for none of it. */
  begin(): Promise<void>;
  /** Waits until nothing is under way. */
  idle(): Promise<void>;
}

interface DeliveryWorkerOptions {
  readonly deliveries: Pick<Deliveries, "dueTargets" | "due" | "attempted" | "hasTakenSince" | "giveUp">;
  readonly queries: Pick<NoticeQueries, "isErased">;
  readonly receivers: Receivers;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "error">;
  /** Ends what is under way: it counts as not begun. */
  readonly signal: AbortSignal;
}

type LastAttempt = Pick<Delivery, "target" | "account_id"> & { readonly at: string };

/** Creates the worker. What it knows of receivers is this process's; a restart tries them anew. */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { deliveries, receivers, clock, logger } = options;
  const underWay = new Map<number, { readonly target: string; readonly done: Promise<void> }>();
  /** Receivers whose last attempt failed, and when; and until when they are left alone. */
  const failing = new Map<string, { readonly last: LastAttempt; readonly until: string }>();
  /** Behind whom a round looks on: those that nothing can be sent to now stay due, and would be all that is looked at. */
  let lookedUntil = "";

  function countUnderWay(matches: (target: string) => boolean): number {
    return [...underWay.values()].filter(({ target }) => matches(target)).length;
  }

  function roomFor(target: string, at: string): number {
    const rests = failing.get(target);
    const own = countUnderWay((each) => each === target);
    if (rests === undefined)
      return Math.min(limits.target - own, limits.working - countUnderWay((each) => !failing.has(each)));
    const hasRoom =
      own === 0 && at >= rests.until && countUnderWay((each) => failing.has(each)) < limits.failing;
    return hasRoom ? 1 : 0;
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const { target, account_id } = delivery;
    try {
      const restsUntil = await attemptAt(options, delivery);
      if (restsUntil === undefined) failing.delete(target);
      else failing.set(target, { last: { target, account_id, at: clock.now() }, until: restsUntil });
    } catch (error) {
      // It stays due, and nothing is known of it: it may be sent once more.
      const last = { target, account_id, at: clock.now() };
      failing.set(target, { last, until: addMilliseconds(last.at, longestRestMs) });
      logger.error({ err: error, delivery: delivery.id }, "what became of a delivery could not be kept");
    }
  }

  /** What a receiver asked for when it was another one binds nobody. */
  async function forgetChanged(target: string, at: string): Promise<void> {
    const rest = failing.get(target);
    const channel = channelOf(target);
    if (rest === undefined || rest.until <= at || channel === undefined) return;
    if ((await receivers[channel]?.isChangedSince?.(rest.last)) === true) failing.delete(target);
  }

  return {
    async begin() {
      const at = clock.now();
      const targets = await deliveries.dueTargets(at, lookedUntil, targetsAtOnce);
      lookedUntil = (targets.length < targetsAtOnce ? undefined : targets.at(-1)) ?? "";
      for (const target of targets) {
        await forgetChanged(target, at);
        const room = roomFor(target, at);
        if (room <= 0) continue;
        // One whose end is kept while this is read may read as due still.
        const begun = new Set(underWay.keys());
        const due = await deliveries.due(target, at, limits.target);
        for (const delivery of due.filter(({ id }) => !begun.has(id)).slice(0, room)) {
          const done = attempt(delivery).finally(() => underWay.delete(delivery.id));
          underWay.set(delivery.id, { target, done });
        }
      }
    },
    async idle() {
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}

/** Makes one attempt and keeps what came of it. @returns until when its receiver is left alone; undefined where there is nothing to wait for. */
async function attemptAt(options: DeliveryWorkerOptions, delivery: Delivery): Promise<string | undefined> {
  const { deliveries, clock, signal } = options;
  const answer = await send(options, delivery);
  if ("gone" in answer) {
    await deliveries.giveUp(delivery.target, answer.gone, answer.since);
    return undefined;
  }
  const { status, error, isFinal = false, retryAfterMs, disabled } = answer;
  if (error !== null && signal.aborted) return undefined;
  const at = clock.now();
  if (error === null || isFinal || disabled !== undefined) {
    await deliveries.attempted(delivery.id, { at, answer: status, error, nextAt: null });
    if (disabled !== undefined) await deliveries.giveUp(delivery.target, disabled);
    return undefined;
  }
  // What a receiver asks for is no shorter than our own pause: it may always ask for a second.
  const pause = Math.max(pauseAfter(delivery.attempts + 1), retryAfterMs ?? 0);
  const isOver = at >= addMilliseconds(delivery.tried_since, triedForMs);
  const nextAt = isOver ? null : addMilliseconds(at, pause);
  await deliveries.attempted(delivery.id, { at, answer: status, error, nextAt });
  if (isOver) await giveUpOnce(options, delivery, at);
  // From the failure on, as the delivery's own pause: not from when it was kept.
  return addMilliseconds(at, retryAfterMs === undefined ? Math.min(pause, longestRestMs) : pause);
}

async function send(
  { queries, receivers, clock, signal }: DeliveryWorkerOptions,
  delivery: Delivery,
): Promise<ReceiverAnswer | ReceiverGone> {
  // What is sealed may still be open in memory; of an account that was erased nothing is said to anybody.
  if (await queries.isErased(delivery.account_id)) return { gone: "the account was erased" };
  const channel = channelOf(delivery.target);
  const receiver = channel === undefined ? undefined : receivers[channel];
  if (receiver === undefined) return { gone: "nothing is sent this way any more" };
  return receiver.send(delivery, clock.now(), signal);
}

/** Where a receiver took nothing for as long as anything is tried. */
async function giveUpOnce(
  { deliveries, receivers }: DeliveryWorkerOptions,
  delivery: Delivery,
  at: string,
): Promise<void> {
  const { target } = delivery;
  if (await deliveries.hasTakenSince(target, delivery.tried_since)) return;
  const channel = channelOf(target);
  const reason = channel === undefined ? undefined : await receivers[channel]?.tookNothing(delivery, at);
  if (reason !== undefined) await deliveries.giveUp(target, reason);
}

/** @param attempts how many have failed. */
function pauseAfter(attempts: number): number {
  const backoff = new Backoff(pauses);
  let pause = backoff.next();
  for (let at = 1; at < attempts && at < 32; at += 1) pause = backoff.next();
  return pause;
}
