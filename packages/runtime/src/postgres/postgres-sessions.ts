import type pg from "pg";

import { afterThisTurn } from "../async/event-loop.ts";
import { PostgresSession } from "./postgres-session.ts";

/**
 * A few sessions for statements that need no order, of which none waits for a free one. What is asked in one turn of the event loop
 * goes to one session together; the next turn takes the one with the fewest unanswered, so that a slow answer keeps few waiting.
 */
export class PostgresSessions {
  readonly #sessions: readonly PostgresSession[];
  #ofTurn: PostgresSession | undefined;
  #isClosed = false;

  /** @param most sessions, each of which is made when those before it have something to answer. */
  constructor(config: pg.ClientConfig, most: number) {
    this.#sessions = Array.from({ length: most }, () => new PostgresSession(config));
  }

  /** @throws as `PostgresSession.query`, and Error once they are closed: nobody would end a session that came after. */
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
