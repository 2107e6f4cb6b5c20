import pg from "pg";

import type { CallOff } from "../async/timing.ts";
import { watchForSilence } from "./watch-for-silence.ts";

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
