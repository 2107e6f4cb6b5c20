import { counted } from "@hostledger/core";

import { type Checkpoint, hashBytes, sameBytes, tilePath, tileWidth } from "../log/index.ts";
import { findAccountId, type LogJudge } from "./log-judge.ts";
import type { Check } from "./checks/check.ts";
import { type CheckName, eventPlace, type Findings } from "./finding.ts";
import type { ComputedTile, LogSource, SourceEntry } from "./log-source.ts";
import { createHasher, type Hasher, type TileHashes } from "./tree/hasher.ts";
import { createLogTree, type LogTree } from "./tree/log-tree.ts";

/** Events hashed at a time, because waking the thread per tile costs more than hashing. */
const hashedTogether = 8 * tileWidth;

/** Maximum batches waiting for their hashes. */
const piecesAhead = 2;

export interface Reading {
  readonly checkpoint: Checkpoint;
  readonly earlier: readonly Checkpoint[];
  readonly checks: readonly Check[];
  readonly findings: Findings;
  readonly judge: LogJudge;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

/** Passes every event to the checks, and compares root, tiles and earlier checkpoints with the events. */
export async function readLog(source: LogSource, reading: Reading): Promise<void> {
  const { checkpoint } = reading;
  const hasher = createHasher(checkpoint.size);
  try {
    await readWith(hasher, source, reading);
  } finally {
    await hasher.close();
  }
}

async function readWith(hasher: Hasher, source: LogSource, reading: Reading): Promise<void> {
  const { checkpoint, findings, onProgress } = reading;
  const tree = createLogTree();
  const comparison = compareWith(source, reading, tree);
  const hashing: Promise<readonly TileHashes[]>[] = [];
  let pending: Uint8Array[] = [];
  let index = 0;
  const flush = async (most: number): Promise<void> => {
    if (pending.length === hashedTogether || (most === 0 && pending.length > 0)) {
      const hashes = hasher.hash(pending);
      // Awaited later; until then a rejection must not count as unhandled.
      hashes.catch(() => undefined);
      hashing.push(hashes);
      pending = [];
    }
    while (hashing.length > most) {
      for (const tile of (await hashing.shift()) ?? []) await comparison.add(tile);
    }
  };
  comparison.begin();
  for await (const batch of source.entries(0, checkpoint.size)) {
    for (const entry of batch) {
      take(entry, index, reading);
      index += 1;
      pending.push(entry.bundled);
      if (pending.length === hashedTogether) await flush(piecesAhead);
    }
    onProgress?.(index, checkpoint.size);
  }
  await flush(0);
  await comparison.end();
  judgeRoot(tree, comparison.agreed(), checkpoint, findings);
}

function take(entry: SourceEntry, index: number, { checks, findings, judge }: Reading): void {
  const { event: stored, problem, damage } = entry;
  if (damage !== undefined)
    findings.at("store", index, stored === undefined ? undefined : eventPlace(stored), damage);
  if (stored === undefined) {
    if (problem !== undefined) findings.at("decoding", index, undefined, problem);
    return;
  }
  if (problem !== undefined) findings.at("decoding", index, eventPlace(stored), problem);
  const event = judge.see(index, stored);
  const report = (check: CheckName, about: number, message: string): void => {
    // A finding about an earlier event looks up its place at the end.
    if (about === index) findings.at(check, index, eventPlace(stored), message);
    else findings.later(check, about, message);
  };
  const seen = { index, stored, accountId: findAccountId(stored.stream), event };
  for (const check of checks) check.see(seen, report);
}

interface Comparison {
  readonly begin: () => void;
  readonly add: (hashes: TileHashes) => Promise<void>;
  readonly end: () => Promise<void>;
  /** Returns how many events match an earlier checkpoint. */
  readonly agreed: () => number;
}

function compareWith(
  source: LogSource,
  { checkpoint, earlier, findings }: Reading,
  tree: LogTree,
): Comparison {
  const awaited = earlier.toSorted((one, other) => one.size - other.size);
  // Incomplete tiles belong to this size, even if fewer events are readable.
  const heldSize = source.manifest?.size ?? checkpoint.size;
  let agreed = 0;
  const compareEarlier = (hashes: TileHashes): void => {
    const end = tree.size + hashes.leaves.length / hashBytes;
    for (let next = awaited[0]; next !== undefined && next.size <= end; next = awaited[0]) {
      const { root, size } = next;
      awaited.shift();
      if (sameBytes(tree.rootWith(hashes, size - tree.size), root)) agreed = size;
      else
        findings.whole(
          "consistency",
          `the first ${counted(size, "event is", "events are")} not those of an earlier checkpoint${agreement(agreed)}`,
        );
    }
  };
  return {
    agreed: () => agreed,
    begin: () => {
      compareEarlier({ leaves: new Uint8Array(), root: undefined });
    },
    async add(hashes) {
      compareEarlier(hashes);
      await compareTiles(source, heldSize, tree.add(hashes), findings);
    },
    async end() {
      await compareTiles(source, heldSize, tree.partials(), findings);
      for (const { size } of awaited)
        findings.whole(
          "consistency",
          `an earlier checkpoint has ${counted(size, "event")}, this one ${String(tree.size)}: the log's tail was cut off, or an old checkpoint stands in place of the newest`,
        );
    },
  };
}

function judgeRoot(tree: LogTree, agreed: number, { size, root }: Checkpoint, findings: Findings): void {
  if (tree.size !== size)
    findings.whole(
      "root",
      `${counted(tree.size, "event")} could be read, the checkpoint has ${String(size)}`,
    );
  else if (!sameBytes(tree.root(), root))
    findings.whole("root", `the events are not those that the checkpoint signs${agreement(agreed)}`);
}

function agreement(size: number): string {
  return size === 0 ? "" : `; the first ${String(size)} are those of another one`;
}

/** Reports the first leaf with a different hash in a tile, or the events below the first different node. */
async function compareTiles(
  { tile }: LogSource,
  heldSize: number,
  computed: readonly ComputedTile[],
  findings: Findings,
): Promise<void> {
  if (tile === undefined) return;
  for (const { level, index, width: computedWidth, bytes } of computed) {
    const width = Math.min(tileWidth, Math.floor(heldSize / tileWidth ** level) - index * tileWidth);
    if (width <= 0) continue;
    const held = await tile(level, index, width);
    const both = Math.min(width, computedWidth);
    if (
      held.length === width * hashBytes &&
      sameBytes(held.subarray(0, both * hashBytes), bytes.subarray(0, both * hashBytes))
    )
      continue;
    const path = tilePath(level, index, width);
    const at = firstDifference(held, bytes, both);
    if (at === undefined) findings.whole("tiles", `${path} has another length than its hashes`);
    else if (level === 0)
      findings.later("tiles", index * tileWidth + at, `has another hash in the log's tiles (${path})`);
    else {
      const [first, count] = [(index * tileWidth + at) * tileWidth ** level, tileWidth ** level];
      const range = `events ${String(first)} to ${String(first + count - 1)}`;
      findings.whole("tiles", `${path} has another hash ${String(at)} than its ${range} make`);
    }
  }
}

function firstDifference(held: Uint8Array, computed: Uint8Array, width: number): number | undefined {
  for (let at = 0; at < width; at += 1) {
    const [from, to] = [at * hashBytes, (at + 1) * hashBytes];
    if (!sameBytes(held.subarray(from, to), computed.subarray(from, to))) return at;
  }
  return undefined;
}
