import { monotonicMilliseconds } from "@hostledger/runtime";
import { PostgresSession } from "@hostledger/runtime/postgres";
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";

/** A counter: `points` per window of `duration` seconds, separated from other counters by `keyPrefix`. */
export interface Counted {
  readonly points: number;
  readonly duration: number;
  readonly keyPrefix: string;
}

/** Creates counters shared by several gateways. */
export interface SharedCounts {
  counterOf(counted: Counted): Pick<RateLimiterMemory, "penalty">;
  close(): Promise<void>;
}

/** Default time limit of a count in milliseconds, because the request waits for the count. */
const usualLimitMs = 500;
/** Milliseconds for which this process counts alone after a failed count. */
const aloneMs = 5_000;

/** Unlogged because counts live a minute: a database crash may empty the table, and commits need not wait for the disk. */
const createTable = `
  create schema if not exists gateway;
  create unlogged table if not exists gateway.rate_counts
    (key varchar(255) primary key, points integer not null default 0, expire bigint)`;

/** Creates the table unless it exists. A role with write access only may not even attempt to create. */
async function obtainTable(session: PostgresSession): Promise<void> {
  const text = "select to_regclass('gateway.rate_counts') is not null as found";
  const { rows } = await session.query<{ readonly found: boolean }>({ text });
  if (rows[0]?.found !== true) await session.query({ text: createTable });
}

/**
 * Stores counts in PostgreSQL; the role may create the schema `gateway` or write to its table. If the database is slow
 * or down, this process counts alone for a while, so no request fails or waits.
 * @param url `postgres://user:password@host:port/database`
 * @param answerLimitMs time limit of one count, in milliseconds
 */
export function openSharedCounts(
  url: string,
  logger: { warn(fields: object, message: string): void },
  answerLimitMs = usualLimitMs,
): SharedCounts {
  const session = new PostgresSession({
    connectionString: url,
    application_name: "hostledger gateway",
    connectionTimeoutMillis: answerLimitMs,
    query_timeout: answerLimitMs,
    options: "-c synchronous_commit=off",
  });
  let hasTable: Promise<unknown> | undefined;
  let aloneUntilMs = 0;

  async function penaltyOf(
    shared: RateLimiterPostgres,
    alone: RateLimiterMemory,
    client: string,
  ): ReturnType<RateLimiterMemory["penalty"]> {
    if (monotonicMilliseconds() < aloneUntilMs) return alone.penalty(client);
    try {
      hasTable ??= obtainTable(session);
      await hasTable;
      return await shared.penalty(client);
    } catch (error) {
      hasTable = undefined;
      if (monotonicMilliseconds() >= aloneUntilMs)
        logger.warn(
          { err: error },
          "requests are counted by this process alone: the database does not count",
        );
      aloneUntilMs = monotonicMilliseconds() + aloneMs;
      return alone.penalty(client);
    }
  }

  return {
    counterOf(counted) {
      const alone = new RateLimiterMemory(counted);
      const shared = new RateLimiterPostgres({
        ...counted,
        storeClient: session,
        storeType: "client",
        schemaName: "gateway",
        tableName: "rate_counts",
        tableCreated: true,
      });
      return { penalty: (client) => penaltyOf(shared, alone, String(client)) };
    },
    close: () => session.close(),
  };
}
