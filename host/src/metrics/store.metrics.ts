import { statSync } from "node:fs";
import { join } from "node:path";

import {
  type Commit,
  type EventStore,
  EventStoreOverloadedError,
  type EventToAppend,
  withAppend,
  WrongExpectedRevisionError,
} from "@hostledger/store";
import { monotonicMilliseconds, type Metrics } from "@hostledger/runtime";

import type { Configuration } from "../configuration/index.ts";
import { moneyMoved } from "./money-moved.codec.ts";

/** From one event to the most that an append or a commit holds. */
const sizeBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];

export interface StoreMetrics {
  /** Told of every commit of the embedded store. */
  readonly onCommitted: (commit: Commit) => void;
  /** The same store, every append of which is measured. */
  readonly measured: (store: EventStore) => EventStore;
}

/** Registers the metrics of the event store. Only appends of this process are counted. */
export function createStoreMetrics(metrics: Metrics): StoreMetrics {
  const commitSeconds = metrics.histogram(
    "hostledger_commit_seconds",
    "From handing appends to the embedded store's writer to their being on disk.",
  );
  const commitEvents = metrics.histogram(
    "hostledger_commit_events",
    "Events that one commit of the embedded store made durable.",
    [],
    sizeBuckets,
  );
  return {
    onCommitted({ events, seconds }) {
      commitSeconds.observe(seconds);
      commitEvents.observe(events);
    },
    measured: (store) => measure(store, metrics),
  };
}

function measure(store: EventStore, metrics: Metrics): EventStore {
  let waiting = 0;
  const seconds = metrics.histogram("hostledger_append_seconds", "Time to append to the system of record.", [
    "outcome",
  ]);
  const events = metrics.histogram(
    "hostledger_append_events",
    "Events in one append that was stored.",
    [],
    sizeBuckets,
  );
  const money = metrics.counter(
    "hostledger_money_cents_total",
    "Cents that this process recorded as credited, charged or refunded.",
    ["kind"],
  );
  metrics.gauge("hostledger_append_queue", "Appends that wait for the system of record.", () => waiting);

  async function timed<Result>(
    appended: readonly EventToAppend[],
    append: () => Promise<Result>,
  ): Promise<Result> {
    const beganMs = monotonicMilliseconds();
    const observe = (outcome: string): void => {
      waiting -= 1;
      seconds.observe({ outcome }, (monotonicMilliseconds() - beganMs) / 1_000);
    };
    waiting += 1;
    try {
      const result = await append();
      observe("stored");
      events.observe(appended.length);
      for (const { kind, cents } of moneyMoved(appended)) money.inc({ kind }, cents);
      return result;
    } catch (error) {
      observe(outcomeOf(error));
      throw error;
    }
  }

  return withAppend(store, (stream, expected, given) =>
    timed(given, () => store.append(stream, expected, given)),
  );
}

/**
 * A conflict is decided again, an overload is answered; after another failure it is unknown whether the append was
 * stored.
 */
function outcomeOf(error: unknown): "conflict" | "overloaded" | "failed" {
  if (error instanceof WrongExpectedRevisionError) return "conflict";
  return error instanceof EventStoreOverloadedError ? "overloaded" : "failed";
}

/** Registers the size of the embedded store's write-ahead log that is not yet merged; zero if there is none. */
export function meterWriteAheadLog(metrics: Metrics, { data, eventStore }: Configuration): void {
  if (eventStore !== "embedded") return;
  metrics.gauge("hostledger_wal_bytes", "Size of the embedded store's write-ahead log.", () => {
    return statSync(join(data, "events.sqlite-wal"), { throwIfNoEntry: false })?.size ?? 0;
  });
}
