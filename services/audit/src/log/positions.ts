import type { EventStore, Position } from "@hostledger/store";
import { createLru } from "@hostledger/runtime";
import { tileWidth } from "@hostledger/audit/log";

import { AuditLogError } from "./log-error.ts";
import type { FilePiece, LogFiles } from "./log-files.ts";

export const positionsFile = "positions";

/** An EventStoreDB position has a commit and a prepare position, 64 bits each. */
const positionBytes = 16;

/** Start of a read whose next leaf is the first of a bundle. */
export type BundleStart = Position | "start";

/** The positions between which a bundle begins; several if events are missing there. */
export interface BundlePlace {
  readonly from: BundleStart;
  /** Undefined at the end of the store. */
  readonly before: Position | undefined;
}

/** Maximum cached places: those of 16 million leaves, some MB. They include the first steps of every search. */
const placesInMemory = 65_536;

/**
 * The position in the event store at which each bundle of 256 leaves begins: that of the leaf before. Each bundle takes
 * 16 bytes, and a search reads the file about twenty times at most.
 */
export interface Positions {
  record(bundle: number, before: Position): void;
  /** Returns the start of a bundle. @throws AuditLogError the bundle was not recorded */
  startOf(bundle: number): Promise<BundleStart>;
  /** Returns the last bundle that begins before a position. @param bundles number of bundles */
  bundleOf(position: Position, bundles: number): Promise<number>;
  /** Replaces places of the file with those from the store. @returns number of wrong places in the file */
  replace(places: ReadonlyMap<number, BundlePlace>): Promise<number>;
  /** Pieces that are not in the file yet. */
  pending(): readonly FilePiece[];
  /** Removes written pieces from the pending ones. */
  written(pieces: readonly FilePiece[]): void;
}

export function createPositions(files: LogFiles): Positions {
  const unwritten = new Map<number, Position>();
  const remade = new Map<number, Position>();
  /** Cache of places in the file, which never change after they were written. */
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
        // An unwritten place comes from the store as well.
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

/** Returns the number of bundles of a log, including the growing one. */
export function bundlesOf(size: number): number {
  return Math.ceil(size / tileWidth);
}

export async function endOf(store: EventStore): Promise<Position> {
  return (await store.lastPosition()) ?? 0n;
}
