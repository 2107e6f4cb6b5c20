import { startPostgresServer } from "../packages/runtime/src/testing/postgres-server.ts";

/**
 * Starts the PostgreSQL server of the tests that ask for one, before the first of them, unless the environment names one
 * that is there already.
 */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.TEST_POSTGRES_URL !== undefined) return () => Promise.resolve();
  const server = await startPostgresServer();
  process.env.TEST_POSTGRES_URL = server.url;
  return () => server.stop();
}
