import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";

const durability = ["server_version", "fsync", "synchronous_commit", "full_page_writes"];

/** Starts PostgreSQL on a free port with its own defaults. */
export async function startPostgres(directory: string) {
  const server = await startPostgresServer({ directory, hasItsDefaults: true });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const settings: string[] = [];
  for (const name of durability) {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
    settings.push(`${name} ${rows[0]?.[name] ?? "?"}`);
  }
  await client.end();
  return { url: server.url, settings: settings.join(", "), stop: () => server.stop() };
}
