import {
  decodeEntry,
  encodeEntry,
  entriesPath,
  formatEntryBundle,
  parseEntryBundle,
  partialTiles,
  tilePath,
  tileWidth,
} from "../log/index.ts";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Target {
  readonly directory: string;
  readonly size: number;
  /** An older, validly signed checkpoint of the log. */
  readonly older: string;
  readonly pick: (limit: number) => number;
}

/** Changes a bundle. @returns pattern of the event or file that a finding must name */
export type Mutation = (target: Target) => Promise<RegExp>;

/** Creates a reproducible random generator of numbers below a limit. */
export function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const eventNamed = (index: number): RegExp => new RegExp(`\\bevent ${String(index)}(?=[ :])`, "u");
const fileNamed = (path: string): RegExp =>
  new RegExp(`\\b${path.replaceAll(".", String.raw`\.`)}(?![.\\d])`, "u");

export const mutations: Readonly<Record<string, Mutation>> = {
  "a flipped byte": (target) =>
    changeEntries(target, (entries, at) => {
      flip(entries[at] ?? new Uint8Array(), target.pick);
      return at;
    }),
  "a deleted event": (target) =>
    changeEntries(target, (entries, at) => {
      entries.splice(at, 1);
      return at;
    }),
  "two swapped events": (target) =>
    changeEntries(target, (entries, at) => {
      entries.splice(at, 2, ...entries.slice(at, at + 2).toReversed());
      return at;
    }),
  "a changed time": (target) =>
    changeEntries(target, (entries, at) => {
      entries[at] = edited(entries[at], { time: `2026-03-01T09:00:00.${sixDigits(target)}Z` });
      return at;
    }),
  "an event inserted in the past": (target) =>
    changeEntries(target, (entries, at) => {
      const id = `00000000-0000-4000-8000-ffffff${sixDigits(target)}`;
      entries.splice(at, 0, edited(entries[at], { id, time: "2025-01-01T00:00:00.000000Z" }));
      return at;
    }),
  "a forged invoice": (target) =>
    changeEntries(target, (entries, at) => {
      const invoices = entries.flatMap((entry, index) =>
        Buffer.from(entry).includes("InvoiceIssued") ? [index] : [],
      );
      const forged = invoices[target.pick(invoices.length)] ?? at;
      const { data } = decodeEntry(entries[forged] ?? new Uint8Array());
      entries[forged] = edited(entries[forged], {
        data: data.replace(/"grossCents":"\d/u, '"grossCents":"9'),
      });
      return forged;
    }),
  "a tail that was cut off in its file": (target) => {
    const last = Math.floor((target.size - 1) / tileWidth);
    return changeEntries(
      target,
      (entries) => {
        const from = 1 + target.pick(entries.length - 1);
        entries.splice(from);
        return from;
      },
      last,
    );
  },
  "a tail whose file is gone": async ({ directory, size }) => {
    const last = Math.floor((size - 1) / tileWidth);
    const path = entriesPath(last, size - last * tileWidth);
    await rm(join(directory, path));
    return fileNamed(path);
  },
  "a tail that the manifest leaves out": async ({ directory, size, pick }) => {
    const path = join(directory, "manifest.json");
    const manifest = await readFile(path, "utf8");
    const less = String(1 + pick(size - 1));
    await writeFile(path, manifest.replace(`"size": ${String(size)}`, `"size": ${less}`));
    return /manifest\.json|tile\/entries\//u;
  },
  "an old checkpoint": async ({ directory, older }) => {
    await writeFile(join(directory, "checkpoint"), older);
    return /old checkpoint/u;
  },
  "a changed checkpoint": async ({ directory, pick }) => {
    await flipIn(join(directory, "checkpoint"), pick);
    return /checkpoint/u;
  },
  "a changed tile": async ({ directory, size, pick }) => {
    const whole = Array.from({ length: Math.floor(size / tileWidth) }, (_, index) => ({
      level: 0,
      index,
      width: tileWidth,
    }));
    const tiles = [...whole, ...partialTiles(size)];
    const { level = 0, index = 0, width = 0 } = tiles[pick(tiles.length)] ?? {};
    const path = tilePath(level, index, width);
    const byte = await flipIn(join(directory, path), pick);
    return level === 0 ? eventNamed(index * tileWidth + Math.floor(byte / 32)) : fileNamed(path);
  },
};

async function changeEntries(
  { directory, size, pick }: Target,
  change: (entries: Uint8Array[], at: number) => number,
  tile = pick(Math.ceil(size / tileWidth)),
): Promise<RegExp> {
  const file = join(directory, entriesPath(tile, Math.min(tileWidth, size - tile * tileWidth)));
  const entries = parseEntryBundle(await readFile(file)).map((entry) => Uint8Array.from(entry));
  const at = change(entries, pick(entries.length - 1));
  await writeFile(file, formatEntryBundle(entries));
  return eventNamed(tile * tileWidth + at);
}

function edited(entry: Uint8Array | undefined, change: Partial<ReturnType<typeof decodeEntry>>): Uint8Array {
  return encodeEntry({ ...decodeEntry(entry ?? new Uint8Array()), ...change });
}

async function flipIn(file: string, pick: Target["pick"]): Promise<number> {
  const bytes = await readFile(file);
  const byte = flip(bytes, pick);
  await writeFile(file, bytes);
  return byte;
}

function flip(bytes: Uint8Array, pick: Target["pick"]): number {
  const byte = pick(bytes.length);
  bytes[byte] = (bytes[byte] ?? 0) ^ (1 << pick(8));
  return byte;
}

function sixDigits({ pick }: Target): string {
  return String(pick(1_000_000)).padStart(6, "0");
}
