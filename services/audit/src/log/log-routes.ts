import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import type { RpcLogger } from "@hostledger/rpc";
import {
  bundledEntry,
  encodeEntry,
  formatEntryBundle,
  parseTilePath,
  tileWidth,
} from "@hostledger/audit/log";

import type { Auditors } from "../credentials/auditors.ts";
import { refuse } from "../http/refuse.ts";
import type { AuditLog } from "./audit-log.ts";

export interface LogRoutesOptions {
  readonly log: Pick<AuditLog, "checkpoint" | "verifierKeys" | "history" | "readTile" | "entries">;
  readonly auditors: Pick<Auditors, "admit">;
  readonly logger: RpcLogger;
}

/** Path of the log: the "prefix" of C2SP tlog-tiles. */
const prefix = "/audit/log/";

const text = "text/plain; charset=utf-8";
const bytes = "application/octet-stream";
const changing = "no-cache";
/** A tile never changes (C2SP tlog-tiles, "Merkle Tree"). */
const unchanging = "public, max-age=31536000, immutable";

interface Found {
  readonly type: string;
  readonly caching: string;
  readonly body: string | Uint8Array;
}

/**
 * Serves the log as C2SP tlog-tiles. Checkpoint, hashes and keys are public, because they only prove that nothing was
 * changed. Entries contain the events, so only auditors may read them, and each read is recorded.
 */
export function logRoutes(options: LogRoutesOptions): RequestListener {
  return (request, response) => {
    void answer(options, request, response);
  };
}

async function answer(
  options: LogRoutesOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("x-content-type-options", "nosniff");
  try {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      say(response, 405, "The log is only read.");
      return;
    }
    const [pathname = ""] = (request.url ?? "").split("?", 1);
    const found = await find(options, pathname.slice(prefix.length), request.headers.authorization);
    if (found === undefined) say(response, 404, "The log has no such file, or not yet.");
    else send(response, found);
  } catch (error) {
    refuse(response, error, options.logger);
  }
}

async function find(
  options: LogRoutesOptions,
  path: string,
  authorization: string | undefined,
): Promise<Found | undefined> {
  const { log } = options;
  if (path === "checkpoint") return { type: text, caching: changing, body: log.checkpoint().note };
  if (path === "key")
    return {
      type: text,
      caching: changing,
      body: log
        .verifierKeys()
        .map((key) => `${key}\n`)
        .join(""),
    };
  if (path === "checkpoints") {
    const sizes = await log.history.sizes();
    return { type: text, caching: changing, body: sizes.map((size) => `${String(size)}\n`).join("") };
  }
  const [, earlier] = /^checkpoints\/([1-9]\d{0,15})$/u.exec(path) ?? [];
  if (earlier !== undefined) {
    const note = await log.history.read(Number(earlier));
    // A rotation may add a signature to it.
    return note === undefined ? undefined : { type: text, caching: changing, body: note };
  }
  const place = parseTilePath(path);
  if (place === undefined) return undefined;
  const { level, index, width } = place;
  const hashesAtLevel = Math.floor(log.checkpoint().size / tileWidth ** (level === "entries" ? 0 : level));
  // Leaves without a signed checkpoint are refused, because they could be taken for signed ones.
  if (index * tileWidth + width > hashesAtLevel) return undefined;
  if (level !== "entries")
    return { type: bytes, caching: unchanging, body: await log.readTile(level, index, width) };
  // Each recorded read adds an entry, so a follower would never reach the end if every read were recorded. A growing bundle
  // counts as one range under every width.
  const subject = path.replace(/\.p\/\d+$/u, "");
  await options.auditors.admit(authorization, { method: "ReadTile", subject, isOncePerDay: true });
  const events = await log.entries(index * tileWidth, width);
  const entries = events.map((event) => bundledEntry(encodeEntry(event)));
  return { type: bytes, caching: "private, no-store", body: formatEntryBundle(entries) };
}

function send(response: ServerResponse, { type, caching, body }: Found): void {
  const content = typeof body === "string" ? Buffer.from(body) : body;
  response.setHeader("content-type", type);
  response.setHeader("cache-control", caching);
  response.setHeader("content-length", content.byteLength);
  // Verifiers in a browser may come from any origin; this content is public.
  if (caching !== "private, no-store") response.setHeader("access-control-allow-origin", "*");
  response.end(response.req.method === "HEAD" ? undefined : content);
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.statusCode = status;
  response.setHeader("content-type", text);
  response.setHeader("cache-control", "no-store");
  response.end(`${sentence}\n`);
}
