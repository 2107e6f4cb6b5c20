import type { EventStore, Position } from "@hostledger/event-store";
import { createLru } from "@hostledger/runtime";
import { tileWidth } from "@hostledger/transparency";

import { AuditLogError } from "./log-error.ts";
import type { FilePiece, LogFiles } from "./log-files.ts";

/** Name of the file. */
export const positionsFile = "positions";

/** EventStoreDB's positions are a commit and a prepare position, 64 bits each. */
const positionBytes = 16;

/** Where reading starts so that the next leaf is the first of a bundle. */
export type BundleStart = Position | "start";

/** The positions between which a bundle begins: more than one where events are missing there. */
export interface BundlePlace {
  readonly from: BundleStart;
  /** Undefined at the end of the store. */
  readonly before: Position | undefined;
}

/** Places that stay in memory once they were read, the first steps of every search among them: those of 16 million leaves, some MB. */
const placesInMemory = 65_536;

/**
 * Where in the event store each bundle of 256 leaves begins: the position of the leaf before its first one. 16 bytes a
 * bundle, so the index costs a sixteenth of a byte a leaf and finding one reads its file some twenty times at most.
 */
export interface Positions {
  /** Remembers where a bundle begins. */
  record(bundle: number, before: Position): void;
  /** Where a bundle begins. @throws AuditLogError when the bundle was not recorded */
  startOf(bundle: number): Promise<BundleStart>;
  /** The last of so many bundles that begins before a position. */
  bundleOf(position: Position, bundles: number): Promise<number>;
  /**
   * Takes what the store says in place of what the file says, from now on.
   * @returns how many the file had wrong
   */
  replace(places: ReadonlyMap<number, BundlePlace>): Promise<number>;
  /** What is not in the file yet. */
  pending(): readonly FilePiece[];
  /** Forgets pieces that were written. */
  written(pieces: readonly FilePiece[]): void;
}

/** The positions in their file. */
export function createPositions(files: LogFiles): Positions {
  const unwritten = new Map<number, Position>();
  const remade = new Map<number, Position>();
  /** What the file said: of a place that was written it says the same for ever. */
  const read = createLru<number, Position>(placesInMemory);

  async function inFile(bundle: number): Promise<Position | undefined> {
    const bytes = await files.readRange(positionsFile, bundle * positionBytes, positionBytes);
    return bytes.length < positionBytes ? undefined : decodePosition(bytes);
  }

  const positions: Positions = {
    record(bundle, before) {
      unwritten.set(bundle, before);
    },
    async startOf(bundle) {
      if (bundle === 0) return "start";
      const kept = unwritten.get(bundle) ?? remade.get(bundle) ?? read.get(bundle);
      if (kept !== undefined) return kept;
      const found = await inFile(bundle);
      if (found === undefined)
        throw new AuditLogError(
          `The file ${positionsFile} of the audit log does not say where its tile ${String(bundle)} begins.`,
        );
      read.set(bundle, found);
      return found;
    },
    async replace(places) {
      let replaced = 0;
      for (const [bundle, place] of places) {
        // One that is still to be written comes from the store as well.
        if (unwritten.has(bundle)) continue;
        const said = await inFile(bundle);
        if (said !== undefined && isIn(place, said)) remade.set(bundle, said);
        else if (place.from !== "start") {
          remade.set(bundle, place.from);
          unwritten.set(bundle, place.from);
          replaced += 1;
        }
      }
      return replaced;
    },
    async bundleOf(position, bundles) {
      let first = 0;
      let last = Math.max(0, bundles - 1);
      while (first < last) {
        const middle = Math.ceil((first + last) / 2);
        const start = await positions.startOf(middle);
        if (start === "start" || start < position) first = middle;
        else last = middle - 1;
      }
      return first;
    },
    pending: () =>
      [...unwritten].map(([bundle, before]) => ({
        offset: bundle * positionBytes,
        bytes: encodePosition(before),
      })),
    written(pieces) {
      for (const { offset } of pieces) unwritten.delete(offset / positionBytes);
    },
  };
  return positions;
}

function encodePosition(position: Position): Uint8Array {
  const bytes = Buffer.alloc(positionBytes);
  bytes.writeBigUInt64BE(position >> 64n, 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, position), 8);
  return bytes;
}

function decodePosition(bytes: Uint8Array): Position {
  const view = new DataView(bytes.buffer, bytes.byteOffset, positionBytes);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}

function isIn({ from, before }: BundlePlace, position: Position): boolean {
  return (from === "start" || position >= from) && (before === undefined || position < before);
}

/** Bundles of a log of so many leaves, the growing one too. */
export function bundlesOf(size: number): number {
  return Math.ceil(size / tileWidth);
}

/** The last position of a store; that of an empty one is before all others. */
export async function endOf(store: EventStore): Promise<Position> {
  return (await store.lastPosition()) ?? 0n;
}
