import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { systemClock } from "@hostledger/runtime";
import { eventually, freePort, temporaryDirectory } from "@hostledger/runtime/testing";

/** A PowerDNS Authoritative Server for tests, on SQLite (Debian's pdns-server and pdns-backend-sqlite3). */
export interface PowerdnsServer {
  readonly url: URL;
  readonly apiKey: string;
  /** Address for DNS queries over UDP and TCP: `127.0.0.1:port`. */
  readonly dnsAddress: string;
  readonly dnsPort: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and removes everything except a given zone file. */
  remove(): Promise<void>;
}

const schema = "/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql";

/** Starts a server on free ports of 127.0.0.1. @param zones file of its zones, which stays; default: a temporary file. */
export async function startPowerdns(zones?: string): Promise<PowerdnsServer> {
  const { path: directory, remove: removeDirectory } = temporaryDirectory();
  const file = zones ?? join(directory, "zones.sqlite");
  if (!existsSync(file)) {
    const database = new DatabaseSync(file);
    database.exec(readFileSync(schema, "utf8"));
    database.exec("PRAGMA journal_mode = WAL");
    database.close();
  }
  const [webPort, dnsPort] = await Promise.all([freePort(), freePort()]);
  const apiKey = "canary-of-powerdns-7f3a";
  const url = new URL(`http://127.0.0.1:${String(webPort)}`);
  let running: ChildProcess | undefined;

  async function start(): Promise<void> {
    const child = spawn("pdns_server", settingsOf({ directory, file, apiKey, webPort, dnsPort }), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    running = child;
    const said: string[] = [];
    child.stderr.on("data", (text: Buffer) => said.push(text.toString("utf8")));
    await eventually(systemClock(), async () => {
      if (child.exitCode !== null) throw new Error(`pdns_server ended: ${said.join("").slice(-2_000)}`);
      const answer = await fetch(new URL("/api/v1/servers/localhost", url), {
        headers: { "x-api-key": apiKey },
      });
      if (!answer.ok) throw new Error(`pdns_server answers ${String(answer.status)}`);
    });
  }

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    if (child?.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }

  await start();
  return {
    url,
    apiKey,
    dnsPort,
    dnsAddress: `127.0.0.1:${String(dnsPort)}`,
    start,
    stop,
    async remove() {
      await stop();
      removeDirectory();
    },
  };
}

interface Settings {
  readonly directory: string;
  readonly file: string;
  readonly apiKey: string;
  readonly webPort: number;
  readonly dnsPort: number;
}

function settingsOf({ directory, file, apiKey, webPort, dnsPort }: Settings): string[] {
  const settings = {
    launch: "gsqlite3",
    "gsqlite3-database": file,
    "gsqlite3-dnssec": "yes",
    "local-address": "127.0.0.1",
    "local-port": String(dnsPort),
    api: "yes",
    "api-key": apiKey,
    webserver: "yes",
    "webserver-address": "127.0.0.1",
    "webserver-port": String(webPort),
    "webserver-allow-from": "127.0.0.1",
    "socket-dir": directory,
    // No caches, so that changes are visible at once, even after a negative answer.
    "cache-ttl": "0",
    "query-cache-ttl": "0",
    "negquery-cache-ttl": "0",
    "zone-cache-refresh-interval": "0",
    "disable-syslog": "yes",
    daemon: "no",
    guardian: "no",
  };
  return ["--no-config", ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)];
}
