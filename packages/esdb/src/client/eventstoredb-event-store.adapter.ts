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
  readLastFact,
  readLastPosition,
  readStream,
  refuseWhenClosed,
} from "./stream-reading.ts";

/** How to open the store on an EventStoreDB. */
export interface EventStoreDbOptions {
  /** `esdb://user:password@host:port?tls=true` or `esdb+discover://…`, as EventStoreDB's clients take it. */
  readonly connectionString: string;
  readonly logger?: AdapterLogger;
  readonly limits?: Partial<EventStoreDbLimits>;
  /** Milliseconds to wait for a server that is away or starting. Default: 30,000. */
  readonly startTimeoutMs?: number;
  /**
   * True where several subscriptions follow much the same: the end of the log is then sent and decoded once for all of them.
   * Default: each has its own.
   */
  readonly sharesTail?: boolean;
  /**
   * How long a node of ours may gather live events before it sends them, in milliseconds, 1,000 at most: for a process in which nobody
   * waits for them. Default: not at all.
   */
  readonly gatherMs?: number;
  /** Told of every broken connection, and asked before anything goes on afterwards. */
  readonly continuity?: Continuity;
}

const defaultStartTimeoutMs = 30_000;

/**
 * Opens the engine on EventStoreDB (23.10 or later), KurrentDB, or a Hostledger node, and waits until it answers.
 *
 * It speaks through the messages, the connection-string parser and the discovery of `@eventstore/db-client`, and not
 * through its client class: that one parses and rewrites JSON, fails the appends of all clients of the process with one
 * stream, waits for a missing server for up to two minutes, and crashes the process on some inputs.
 *
 * @throws EventStoreDbError in one sentence, without the password: `connection-string`, `certificate`, `unauthorised`,
 * `unreachable` (nothing answered within `startTimeoutMs`) or `refused` (what answers is no EventStoreDB).
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  const settings = readConnectionString(options.connectionString);
  const connection = new Connection(settings, options.gatherMs);
  const limits = { ...defaultLimits, ...options.limits };
  // Where reads may go to a follower, what has to be certain is asked of the leader, over a connection of its own.
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
    this.#appends = new AppendStream(connection, () => continuity?.doubt());
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
   * The position of the last event of `$all`, EventStoreDB's own events included: to find the last one that is not its
   * own could mean to read the whole log backwards. It is never before a position that this store has given, which is
   * what a checkpoint is compared with, and it can be after the last one that a subscription gives.
   */
  async lastPosition(): Promise<Position | undefined> {
    return readLastPosition(this.#source);
  }

  async lastTime(): Promise<string | undefined> {
    return (await readLastFact(this.#source))?.time;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await within(this.#limits.closeMs, this.#runner.drained(), () => undefined, backgroundTiming);
    this.#runner.abandon();
    await this.#appends.close();
    await this.#connection.close();
    await this.#leader.close();
  }

  /** @throws EventStoreDbError when the server cannot be used, or is not there in time. */
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
