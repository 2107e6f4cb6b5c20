import { monotonicMilliseconds } from "@hostledger/runtime";
import { backgroundTiming, every, within } from "@hostledger/runtime/async";
import pg from "pg";

/** A lock that is to be taken, or given back. */
export interface LockChange {
  readonly kind: "lock" | "unlock";
  readonly key: string;
}

/** Takes and gives back locks on one PostgreSQL session. */
export interface LeaseConnection {
  /**
   * Takes and releases locks in the given order.
   * @returns for each change whether it was carried out; for a lock to take, whether it is ours.
   */
  change(changes: readonly LockChange[]): Promise<readonly boolean[]>;
  /** Ends the session, and with it every lock. Never throws. */
  end(): Promise<void>;
  /** Resolves when the session has ended, for any reason. */
  readonly gone: Promise<void>;
}

/** Interval and time limit of the session's heartbeat, in milliseconds. */
const heartbeatMs = 1_000;
const answerMs = 2_000;

/**
 * PostgreSQL asks a silent machine after 2 s and gives up 2 s later, which frees its locks. The holder itself gives up
 * after 3 s at most (heartbeat and answer), before anybody else can have its leases.
 */
const sessionSettings = [
  "-c tcp_keepalives_idle=2",
  "-c tcp_keepalives_interval=1",
  "-c tcp_keepalives_count=2",
  "-c tcp_user_timeout=4000",
  "-c idle_session_timeout=0",
].join(" ");

/** The server's time in milliseconds since 1970, so that all holders use one clock. */
const timeText = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as epoch_ms";

/** Each run takes a lease and gives it back: with a name it is parsed and planned once for the session. */
const changeStatement = {
  name: "change",
  text: `
    select case when is_lock then pg_try_advisory_lock(key) else pg_advisory_unlock(key) end as is_done
    from unnest($1::bigint[], $2::boolean[]) with ordinality as t(key, is_lock, n) order by n`,
};

/** PostgreSQL's time at a moment of this process's monotonic clock, both in milliseconds. */
export interface ServerTime {
  /** Milliseconds since 1970, accurate to half of the answer's duration. */
  readonly epochMs: number;
  readonly monotonicMs: number;
}

/**
 * Opens the session.
 * @param onServerTime is called with PostgreSQL's time before this function returns, and with each heartbeat.
 * @throws Error when PostgreSQL cannot be reached.
 */
export async function openLeaseConnection(
  url: string,
  onServerTime?: (time: ServerTime) => void,
): Promise<LeaseConnection> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "hostledger-leases",
    options: sessionSettings,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    connectionTimeoutMillis: 3_000,
    query_timeout: answerMs,
    // A heartbeat comes while a lock is asked for: the server answers one after the other, and the driver need not hold one back.
    pipeline: true,
  });
  const { promise: gone, resolve } = Promise.withResolvers<undefined>();
  const over = (): void => {
    stopHeartbeat();
    resolve(undefined);
  };
  const cut = (): void => {
    over();
    // The socket may be dead, so nothing waits for its end.
    client.end().catch(() => undefined);
  };
  const ask = async (): Promise<void> => {
    const askedMs = monotonicMilliseconds();
    const { rows } = await client.query<{ epoch_ms: number }>(timeText);
    const monotonicMs = (askedMs + monotonicMilliseconds()) / 2;
    for (const { epoch_ms: epochMs } of rows) onServerTime?.({ epochMs, monotonicMs });
  };
  const stopHeartbeat = every(heartbeatMs, () => {
    ask().catch(cut);
  });
  client.on("error", cut);
  client.on("end", over);
  try {
    await client.connect();
    await ask();
  } catch (error) {
    cut();
    throw error;
  }
  return {
    gone,
    async change(changes) {
      const keys = changes.map(({ key }) => key);
      const values = [keys, changes.map(({ kind }) => kind === "lock")];
      const { rows } = await client.query<{ is_done: boolean }>({ ...changeStatement, values });
      return rows.map(({ is_done: isDone }) => isDone);
    },
    async end() {
      over();
      const ended = client.end().catch(() => undefined);
      await within(answerMs, ended, () => undefined, backgroundTiming);
    },
  };
}
