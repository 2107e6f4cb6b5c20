import pg from "pg";

import type { CallOff } from "../async/timing.ts";
import { watchForSilence } from "./watch-for-silence.ts";

/** Statements that may wait for their answers; more are refused, since PostgreSQL does not answer. */
const unansweredLimit = 2_000;

/** How long a session may be silent before its server is asked for it, in milliseconds: longer than machines with much to do are. */
const usualSilenceMs = 10_000;

/**
 * A session with PostgreSQL that is made when it is first needed, and anew when it broke, or when its server vanished without a word.
 * Statements are sent at once, without waiting for the answers to those before them, and are carried out in their order.
 */
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

  /** Stands for the present session, and for one that is being made: another one is another object. */
  get current(): object | undefined {
    return this.#connecting;
  }

  /** Aborts when the present session ends; aborted while there is none. */
  get ended(): AbortSignal {
    return this.#ended;
  }

  /** Statements that have no answer yet. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** @throws pg.DatabaseError the server's answer; Error when it cannot be asked. */
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

  /** Keeps what is asked until the returned call, and sends it in one packet then: one wake-up of the server for all of it. */
  hold(): () => void {
    const stream = this.#client?.connection.stream;
    stream?.cork();
    return () => stream?.uncork();
  }

  /** @throws Error the server cannot be reached, or does not let us in. */
  connected(): Promise<pg.Client> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  /** Never throws. The next query makes another session. */
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
    // It may tell of its end twice, and the second time when another one has taken its place, which is not to be forgotten.
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
