import { monotonicMilliseconds } from "@hostledger/runtime";
import { PostgresSession } from "@hostledger/runtime/postgres";
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";

/** What is counted: so many in a window of so many seconds, apart from what has another name. */
export interface Counted {
  readonly points: number;
  readonly duration: number;
  readonly keyPrefix: string;
}

/** Makes counters that several gateways share. */
export interface SharedCounts {
  counterOf(counted: Counted): Pick<RateLimiterMemory, "penalty">;
  close(): Promise<void>;
}

/** How long a count may take unless said otherwise, in milliseconds: a request waits for it. */
const usualLimitMs = 500;
/** How long this process counts by itself after a count that failed, in milliseconds. */
const aloneMs = 5_000;

/** What is counted lives a minute, so that a crash of the database may empty the table, and no commit waits for the disk. */
const createTable = `
  create schema if not exists gateway;
  create unlogged table if not exists gateway.rate_counts
    (key varchar(255) primary key, points integer not null default 0, expire bigint)`;

/** A role that may write to the table alone must not even ask to create it. */
async function obtainTable(session: PostgresSession): Promise<void> {
  const text = "select to_regclass('gateway.rate_counts') is not null as found";
  const { rows } = await session.query<{ readonly found: boolean }>({ text });
  if (rows[0]?.found !== true) await session.query({ text: createTable });
}

/**
 * Keeps counts in a PostgreSQL database, whose role may create the schema `gateway` or write to its table. Where the
 * database does not answer in time, this process counts alone for a while: nobody is turned away, or waits, because of it.
 * @param url `postgres://user:password@host:port/database`
 * @param answerLimitMs how long one count may take, in milliseconds
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
