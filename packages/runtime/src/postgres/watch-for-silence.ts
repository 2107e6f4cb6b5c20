import { Socket } from "node:net";
import type { Duplex } from "node:stream";

import pg from "pg";

import { every } from "../async/limits.ts";
import { Mutex } from "../async/mutex.ts";
import { backgroundTiming, type CallOff } from "../async/timing.ts";

/** How long the second way to the server, and its answer there, are waited for, in milliseconds each. */
const askLimitMs = 5_000;

/** One look at a time in this process: a server that is slow is not to have many more sessions. */
const looks = new Mutex();

interface Backend {
  readonly pid: number;
  readonly began: string;
}

const whoText = `
  select pid, extract(epoch from backend_start)::text as began from pg_stat_activity where pid = pg_backend_pid()`;

/** A row where the server still has the session, and is at work for it, be it that it waits for a lock. */
const atWorkText = `
  select pid from pg_stat_activity
  where pid = $1 and extract(epoch from backend_start)::text = $2 and state not like 'idle%'`;

/** What is watched. */
export interface Watched {
  /** A session that has just been made. */
  readonly client: pg.Client;
  /** How it was made, and another one is. */
  readonly config: pg.ClientConfig;
  /** True while a statement has no answer. */
  readonly isWaiting: () => boolean;
  /** How long nothing is heard of it meanwhile until the server is asked on a second way: once to twice so many milliseconds. */
  readonly silenceMs: number;
}

/**
 * Ends a session whose server has vanished without a word: TCP would wait for a quarter of an hour. How long a statement may take
 * nobody can say (an index of a large table, a lock that others hold), so that a silent session is ended only where the server says on a
 * second way that it is not at work for it, and is left alone while the server cannot be asked.
 *
 * @returns what ends the watch
 */
export function watchForSilence({ client, config, isWaiting, silenceMs }: Watched): CallOff {
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
      // What was on its way meanwhile has come.
      if (isWaiting() && heardOf(stream) === silentAt)
        stream.destroy(new Error("PostgreSQL left a statement unanswered, and knows nothing of it"));
    } catch {
      // It cannot be asked now; it will be with the next look.
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

/** @throws Error it cannot be asked. */
async function isAtWork(config: pg.ClientConfig, backend: Backend | undefined): Promise<boolean> {
  const asking = new pg.Client({
    ...config,
    connectionTimeoutMillis: askLimitMs,
    query_timeout: askLimitMs,
  });
  // What fails says so where it is asked.
  asking.on("error", () => undefined);
  try {
    await asking.connect();
    const { rows } = await asking.query(atWorkText, [backend?.pid, backend?.began]);
    return rows.length > 0;
  } finally {
    asking.connection.stream.destroy();
  }
}

/** Grows with each byte that comes, be it of an answer that is not complete. */
function heardOf(stream: Duplex): number {
  return stream instanceof Socket ? stream.bytesRead : 0;
}
