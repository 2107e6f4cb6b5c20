import {
  type AppendResult,
  type EventBatch,
  type EventStore,
  EventStoreUnavailableError,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscribeOptions,
  validateAppend,
} from "@hostledger/store";
import { defined } from "@hostledger/runtime";
import { backgroundTiming, within } from "@hostledger/runtime/async";

import { Refusal } from "../codec/refusal.ts";
import { AppendRunner } from "./append-retry.ts";
import { AppendStream } from "./append-stream.ts";
import { EventStoreDbError, portError } from "./client-failure.ts";
import { Connection } from "./connection.ts";
import { leaderOf, readConnectionString } from "./connection-settings.ts";
import { createBackoff, defaultLimits, type EventStoreDbLimits } from "./limits.ts";
import { type AdapterLogger, type FollowingSource, subscribeToLog } from "./log-subscription.ts";
import { SharedTail } from "./shared-tail.ts";
import {
  type Continuity,
  readLastEvent,
  findLastEvent,
  readLastPosition,
  readStream,
  refuseWhenClosed,
} from "./stream-reading.ts";

export interface EventStoreDbOptions {
  /** `esdb://user:password@host:port?tls=true` or `esdb+discover://…`, as for EventStoreDB's clients. */
  readonly connectionString: string;
  readonly logger?: AdapterLogger;
  readonly limits?: Partial<EventStoreDbLimits>;
  /** Milliseconds to wait for a server that is missing or starting. Default: 30,000. */
  readonly startTimeoutMs?: number;
  /**
   * True if subscriptions with similar filters share one connection at the end of the log, so that each event is sent
   * and decoded once. Default: false.
   */
  readonly sharesTail?: boolean;
  /**
   * Maximum milliseconds, up to 1,000, for which one of our nodes may collect live events before it sends them.
   * Useful if no request of the process waits for events. Default: 0.
   */
  readonly gatherMs?: number;
  /** Notified of each broken connection, and consulted before the store continues. */
  readonly continuity?: Continuity;
}

const defaultStartTimeoutMs = 30_000;

/**
 * Opens the store on EventStoreDB (23.10 or later), KurrentDB or a Hostledger node, and waits for its answer. It uses
 * the messages, the connection-string parser and the discovery of `@eventstore/db-client`, but not its client class,
 * which rewrites JSON, lets one stream fail the appends of all clients, waits up to two minutes for a missing server,
 * and crashes the process on some inputs.
 * @throws EventStoreDbError in one sentence without the password: `connection-string`, `certificate`, `unauthorised`,
 * `unreachable` (no answer within `startTimeoutMs`) or `refused` (the server is no EventStoreDB).
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  const settings = readConnectionString(options.connectionString);
  const connection = new Connection(settings, options.gatherMs);
  const limits = { ...defaultLimits, ...options.limits };
  // If reads may use a follower, questions that need a certain answer go to the leader over a connection of their
  // own.
  const isAtLeader = (settings.discovery.nodePreference ?? "leader") === "leader";
  const leader = isAtLeader ? connection : new Connection(leaderOf(settings));
  const store = new EventStoreDbEventStore(connection, { ...options, limits, leader });
  try {
    await store.awaitServer(options.startTimeoutMs ?? defaultStartTimeoutMs);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

class EventStoreDbEventStore implements EventStore {
  /** Other processes append to the same streams. */
  readonly shared = true;
  readonly #connection: Connection;
  readonly #limits: EventStoreDbLimits;
  readonly #appends: AppendStream;
  readonly #runner: AppendRunner;
  readonly #closed = new AbortController();
  readonly #continuity: Continuity | undefined;
  readonly #leader: Connection;
  readonly #source: FollowingSource;
  readonly #tail: SharedTail | undefined;

  constructor(
    connection: Connection,
    {
      limits,
      logger,
      sharesTail = false,
      continuity,
      leader,
    }: Pick<EventStoreDbOptions, "continuity" | "logger" | "sharesTail"> & {
      readonly leader: Connection;
      readonly limits: EventStoreDbLimits;
    },
  ) {
    this.#connection = connection;
    this.#limits = limits;
    this.#appends = new AppendStream(connection, () => continuity?.invalidate());
    this.#runner = new AppendRunner(limits);
    this.#continuity = continuity;
    this.#leader = leader;
    this.#source = { connection, limits, logger, closed: this.#closed.signal, ...defined({ continuity }) };
    if (sharesTail)
      this.#tail = new SharedTail({ follow: (options) => this.#follow(this.#source, options), limits });
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    refuseWhenClosed(this.#closed.signal);
    const bytes = validateAppend(stream, expected, events);
    const repeatable = typeof expected === "bigint" || expected === "no-stream";
    try {
      const continuity = this.#continuity;
      const generation = continuity?.generation ?? 0;
      const send = async (): Promise<AppendResult> => {
        await continuity?.admitUnder(generation);
        return this.#appends.send({ stream, expected, events });
      };
      return await this.#runner.run(send, { repeatable, bytes });
    } catch (error) {
      if (error instanceof Refusal || (error instanceof Error && "code" in error)) {
        throw portError(error, `appending to stream ${stream}`);
      }
      throw error;
    }
  }

  read(stream: string, options: ReadOptions = {}): AsyncIterable<RecordedEvent> {
    const source = options.fromLeader === true ? { ...this.#source, connection: this.#leader } : this.#source;
    return readStream(source, stream, options);
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<EventBatch, void, undefined> {
    refuseWhenClosed(this.#closed.signal);
    yield* this.#follow({ ...this.#source, ...defined({ tail: this.#tail }) }, options);
  }

  #follow(source: FollowingSource, options: SubscribeOptions): ReturnType<typeof subscribeToLog> {
    const ends = [this.#closed.signal, ...(options.signal === undefined ? [] : [options.signal])];
    return subscribeToLog(source, options, AbortSignal.any(ends));
  }

  /**
   * Returns the position of the last event of `$all`, EventStoreDB's own events included, because finding the last of
   * our events could mean reading the whole log backwards. The position is never before one that this store returned,
   * such as a checkpoint, and may be after the last one of a subscription.
   */
  async lastPosition(): Promise<Position | undefined> {
    return readLastPosition(this.#source);
  }

  async lastTime(): Promise<string | undefined> {
    return (await findLastEvent(this.#source))?.time;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await within(this.#limits.closeMs, this.#runner.drained(), () => undefined, backgroundTiming);
    this.#runner.abandon();
    await this.#appends.close();
    await this.#connection.close();
    await this.#leader.close();
  }

  /** @throws EventStoreDbError if the server cannot be used or does not answer in time. */
  async awaitServer(timeoutMs: number): Promise<void> {
    const backoff = createBackoff({ ...this.#limits, overallMs: timeoutMs });
    try {
      await readLastEvent(this.#source, { backoff });
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
      const cause = error.cause instanceof Error ? error.cause.message : error.message;
      throw new EventStoreDbError(
        "unreachable",
        `EventStoreDB at ${this.#connection.server} did not answer within ${String(timeoutMs)} ms (${cause})`,
        { cause: error },
      );
    }
  }
}
