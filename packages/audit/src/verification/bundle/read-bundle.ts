import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import {
  bundledEntry,
  decodeEntry,
  entriesPath,
  EntryError,
  isDigestEntry,
  tilePath,
  tileWidth,
} from "../../log/index.ts";
import { BundleError, type LogSource, type SourceEntry } from "../log-source.ts";
import { readBalances } from "./balances-file.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/** Maximum bytes of a bundle's file: 256 entries of 65,535, or one large entry. */
const fileMaximumBytes = 64 * 1024 * 1024;

export interface Bundle extends LogSource {
  readonly manifest: Manifest;
}

/** Opens a bundle, whose leaves are read on demand. @throws BundleError if it is no bundle, newer, or incomplete */
export async function readBundle(directory: string): Promise<Bundle> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new BundleError(`There is no bundle at ${directory}.`);
  const text = async (path: string): Promise<string> =>
    Buffer.from(await readPart(directory, path)).toString("utf8");
  const manifestBytes = await readPart(directory, "manifest.json");
  const manifest = readManifest(Buffer.from(manifestBytes).toString("utf8"));
  const manifestNote = await readFile(join(directory, "manifest.note"), "utf8").catch(() => undefined);
  const keys = (await text("key")).split("\n").filter((line) => line.trim() !== "");
  const note = await text("checkpoint");
  const earlier = await readdir(join(directory, "checkpoints")).catch(() => []);
  const balances = await readFile(join(directory, "balances.json"), "utf8").catch(() => undefined);
  return {
    manifest,
    seal: {
      manifestHash: createHash("sha256").update(manifestBytes).digest(),
      note: manifestNote,
      isListed: manifest.files !== undefined,
      wrongFiles: () => wrongFiles(directory, manifest.files ?? new Map()),
    },
    note,
    verifierKeys: keys,
    earlierNotes: await inOrder(earlier, (name) => text(join("checkpoints", name))),
    entries: (first, end) => readEntries(directory, manifest.size, first, end),
    tile: (level, index, width) => readPart(directory, tilePath(level, index, width)),
    shownBalances: balances === undefined ? undefined : () => Promise.resolve(readBalances(balances)),
  };
}

async function* wrongFiles(directory: string, files: ReadonlyMap<string, string>): AsyncGenerator<string> {
  for (const [path, hash] of files) {
    const bytes = await readPart(directory, path).catch(() => undefined);
    if (bytes === undefined) yield `${path} is missing`;
    else if (createHash("sha256").update(bytes).digest("hex") !== hash)
      yield `${path} is not the file whose SHA-256 manifest.json lists: it was changed`;
  }
}

/** Reads items one at a time, because an old log has more checkpoints than a process may open files. */
async function inOrder<From, To>(
  items: readonly From[],
  read: (item: From) => Promise<To>,
): Promise<readonly To[]> {
  const results: To[] = [];
  for (const item of items) results.push(await read(item));
  return results;
}

async function* readEntries(
  directory: string,
  size: number,
  first: number,
  end: number,
): AsyncGenerator<readonly SourceEntry[]> {
  const read = (tile: number): Promise<Uint8Array> | undefined => {
    const width = Math.min(tileWidth, size - tile * tileWidth);
    if (width <= 0 || tile * tileWidth >= end) return undefined;
    const bytes = readPart(directory, entriesPath(tile, width));
    // If reading stops early, a failure of the prefetched file is ignored.
    bytes.catch(() => undefined);
    return bytes;
  };
  let ahead = read(Math.floor(first / tileWidth));
  for (let tile = Math.floor(first / tileWidth); ahead !== undefined; tile += 1) {
    const bytes = await ahead;
    // Reads the next file while this file's events are verified.
    ahead = read(tile + 1);
    const start = tile * tileWidth;
    const width = Math.min(tileWidth, size - start);
    const { parts, problem } = splitEntries(entriesPath(tile, width), bytes, width);
    const entries: SourceEntry[] = [];
    for (let at = Math.max(first - start, 0); at < Math.min(end - start, width); at += 1) {
      const part = parts[at];
      const reported = at === Math.min(parts.length, width - 1) ? problem : undefined;
      if (part === undefined)
        entries.push({ bundled: new Uint8Array(), event: undefined, problem: reported });
      else if (part[0] === 2) entries.push(await readLarge(directory, start + at, part));
      else entries.push(reported === undefined ? whole(part) : { ...whole(part), problem: reported });
    }
    yield entries;
  }
}

/** Splits a file into entries as far as possible; the problem is reported at the first missing entry. */
function splitEntries(
  path: string,
  bytes: Uint8Array,
  width: number,
): { readonly parts: readonly Uint8Array[]; readonly problem: string | undefined } {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at + 2 <= bytes.length && parts.length <= width) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (end > bytes.length) break;
    parts.push(bytes.subarray(at + 2, end));
    at = end;
  }
  if (parts.length === width && at === bytes.length) return { parts, problem: undefined };
  const held = parts.length > width ? `more than ${String(width)}` : String(parts.length);
  return { parts, problem: `${path} is damaged: it holds ${held} whole events instead of ${String(width)}` };
}

/** Reads an entry stored in a file of its own, by its digest. */
async function readLarge(directory: string, index: number, bundled: Uint8Array): Promise<SourceEntry> {
  const path = `large/${String(index)}`;
  const unread = (problem: string): SourceEntry => ({ bundled, event: undefined, problem });
  if (!isDigestEntry(bundled)) return unread("is an entry of an unknown form");
  const full = await readPart(directory, path);
  if (Buffer.compare(bundledEntry(full), bundled) !== 0) return unread(`${path} is not what its digest says`);
  return { ...whole(full), bundled };
}

function whole(bundled: Uint8Array): SourceEntry {
  try {
    return { bundled, event: decodeEntry(bundled), problem: undefined };
  } catch (error) {
    const problem =
      error instanceof EntryError ? error.message.replace(/\.$/u, "") : "its bytes are no event";
    return { bundled, event: undefined, problem };
  }
}

async function readPart(directory: string, path: string): Promise<Uint8Array> {
  const file = join(directory, path);
  try {
    if ((await stat(file)).size > fileMaximumBytes)
      throw new BundleError(`${path} is larger than any file of a bundle.`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof BundleError) throw error;
    throw new BundleError(`The bundle is truncated or no bundle: ${path} is missing.`, { cause: error });
  }
}
