import type pg from "pg";

import { afterThisTurn } from "../async/event-loop.ts";
import { PostgresSession } from "./postgres-session.ts";

/** Several sessions for unordered statements; each turn of the event loop uses the least busy one. */
export class PostgresSessions {
  readonly #sessions: readonly PostgresSession[];
  #ofTurn: PostgresSession | undefined;
  #isClosed = false;

  /** @param most maximum sessions; each is opened when the earlier ones are busy */
  constructor(config: pg.ClientConfig, most: number) {
    this.#sessions = Array.from({ length: most }, () => new PostgresSession(config));
  }

  /** @throws like `PostgresSession.query`; Error once closed, because a new session would never be closed */
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#isClosed) return Promise.reject(new Error("the sessions with PostgreSQL are closed"));
    this.#ofTurn ??= this.#takeTurn();
    return this.#ofTurn.query<Row>(statement);
  }

  /** Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  #takeTurn(): PostgresSession {
    const session = this.#sessions.reduce((best, each) => (each.unanswered < best.unanswered ? each : best));
    const send = session.hold();
    afterThisTurn(() => {
      this.#ofTurn = undefined;
      send();
    });
    return session;
  }
}
