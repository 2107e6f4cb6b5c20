import { Socket } from "node:net";
import type { Duplex } from "node:stream";

import pg from "pg";

import { backgroundTiming, type CallOff } from "../async/timing.ts";
import { every } from "../async/limits.ts";
import { Mutex } from "../async/mutex.ts";

/** Maximum unanswered statements; further ones are refused, because PostgreSQL does not respond. */
const unansweredLimit = 2_000;

/** Milliseconds of silence before the server is asked about a session; longer than the pauses of busy machines. */
const usualSilenceMs = 10_000;

/** A PostgreSQL session opened on demand. Statements are sent without waiting for answers, and run in order. */
export class PostgresSession {
  readonly #config: pg.ClientConfig;
  readonly #silenceMs: number;
  #connecting: Promise<pg.Client> | undefined;
  #client: pg.Client | undefined;
  #ended = AbortSignal.abort();
  #unanswered = 0;

  constructor(config: pg.ClientConfig, silenceMs = usualSilenceMs) {
    this.#config = { ...config, pipeline: true };
    this.#silenceMs = silenceMs;
  }

  /** Object that identifies the present session: equal within a session, different for the next; undefined if none. */
  get current(): object | undefined {
    return this.#connecting;
  }

  /** Aborts when the present session ends; aborted if there is none. */
  get ended(): AbortSignal {
    return this.#ended;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** @throws pg.DatabaseError for the server's answer; Error if unavailable */
  async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#unanswered >= unansweredLimit)
      throw new Error(`PostgreSQL has left ${String(unansweredLimit)} statements unanswered`);
    this.#unanswered += 1;
    try {
      return await (this.#client ?? (await this.connected())).query<Row>(statement);
    } finally {
      this.#unanswered -= 1;
    }
  }

  /** Buffers statements until the returned function is called, then sends them in one packet. */
  hold(): () => void {
    const stream = this.#client?.connection.stream;
    stream?.cork();
    return () => stream?.uncork();
  }

  /** @throws Error if the server is unreachable or refuses the login */
  connected(): Promise<pg.Client> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  /** Closes the session; never throws. The next query opens another. */
  async close(): Promise<void> {
    const client = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    const ended = new AbortController();
    this.#ended = ended.signal;
    let endWatch: CallOff = () => undefined;
    // A session may report its end twice; the second report must not discard its successor.
    const forget = (): void => {
      if (this.#ended === ended.signal && !ended.signal.aborted) {
        this.#connecting = undefined;
        this.#client = undefined;
      }
      ended.abort();
      endWatch();
    };
    client.on("error", forget);
    client.on("end", forget);
    try {
      await client.connect();
      this.#client = client;
      endWatch = watchForSilence({
        client,
        config: this.#config,
        isWaiting: () => this.#unanswered > 0,
        silenceMs: this.#silenceMs,
      });
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** Time limits in milliseconds of the second connection and of its answer. */
const askLimitMs = 5_000;

/** Maximum one check at a time per process, so that a slow server does not get many further sessions. */
const looks = new Mutex();

interface Backend {
  readonly pid: number;
  readonly began: string;
}

const whoText = `
  select pid, extract(epoch from backend_start)::text as began from pg_stat_activity where pid = pg_backend_pid()`;

/** Returns a row if the server still has the session and works on its statement, or waits for a lock. */
const atWorkText = `
  select pid from pg_stat_activity
  where pid = $1 and extract(epoch from backend_start)::text = $2 and state not like 'idle%'`;

interface Watched {
  /** A session just opened. */
  readonly client: pg.Client;
  /** Connection options, also for the second connection. */
  readonly config: pg.ClientConfig;
  /** Returns true while a statement is unanswered. */
  readonly isWaiting: () => boolean;
  /** Milliseconds of silence before the server is asked over a second connection; at most twice as many pass. */
  readonly silenceMs: number;
}

/**
 * Ends a session whose server has vanished, because TCP would wait a quarter of an hour. The duration of a statement is
 * unlimited (large index, lock), so a silent session is ended only if the server reports over a second connection that
 * it does not work on the statement. If the server cannot be asked, the session stays.
 *
 * @returns stops watching
 */
function watchForSilence({ client, config, isWaiting, silenceMs }: Watched): CallOff {
  const { stream } = client.connection;
  let backend: Backend | undefined;
  client.query<Backend>(whoText).then(
    ({ rows }) => ([backend] = rows),
    () => undefined,
  );
  let heard: number | undefined;
  let isLooking = false;
  const look = async (silentAt: number): Promise<void> => {
    try {
      if (await isAtWork(config, backend)) return;
      // Answers on their way have arrived by now.
      if (isWaiting() && heardOf(stream) === silentAt)
        stream.destroy(new Error("PostgreSQL left a statement unanswered, and knows nothing of it"));
    } catch {
      // The next check asks again.
    } finally {
      isLooking = false;
    }
  };
  return every(
    silenceMs,
    () => {
      const before = heard;
      heard = isWaiting() ? heardOf(stream) : undefined;
      if (heard === undefined || heard !== before || isLooking) return;
      isLooking = true;
      void looks.run(() => look(before));
    },
    backgroundTiming,
  );
}

/** @throws Error if the server cannot be asked */
async function isAtWork(config: pg.ClientConfig, backend: Backend | undefined): Promise<boolean> {
  const asking = new pg.Client({
    ...config,
    connectionTimeoutMillis: askLimitMs,
    query_timeout: askLimitMs,
  });
  // Errors are reported by the call that fails.
  asking.on("error", () => undefined);
  try {
    await asking.connect();
    const { rows } = await asking.query(atWorkText, [backend?.pid, backend?.began]);
    return rows.length > 0;
  } finally {
    asking.connection.stream.destroy();
  }
}

/** Returns the number of received bytes, which grows even within an incomplete answer. */
function heardOf(stream: Duplex): number {
  return stream instanceof Socket ? stream.bytesRead : 0;
}
