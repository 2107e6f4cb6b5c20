import { hashBytes, nodeHash } from "./hash.ts";

/** Hashes of a full tile, and entries of a full bundle. */
export const tileWidth = 256;

/** Consecutive hashes of a level (C2SP tlog-tiles): level 0 contains the leaves, each higher level every 256th node. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** 1 to 256. */
  readonly width: number;
  /** 32 × width bytes. */
  readonly bytes: Uint8Array;
}

/** Place and width of a growing tile. */
export type TilePlace = Omit<Tile, "bytes">;

/** Returns a tile's path: `tile/0/x001/234.p/17`. @throws RangeError for an invalid level, index or width */
export function tilePath(level: number, index: number, width = tileWidth): string {
  if (!Number.isInteger(level) || level < 0 || level > 63) throw new RangeError("A tile's level is 0 to 63.");
  return `tile/${String(level)}/${numberPath(index, width)}`;
}

/** Returns an entry bundle's path: `tile/entries/x001/234.p/17`. @throws RangeError for an invalid index or width */
export function entriesPath(index: number, width = tileWidth): string {
  return `tile/entries/${numberPath(index, width)}`;
}

function numberPath(index: number, width: number): string {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError("A tile's index is 0 or more.");
  if (!Number.isInteger(width) || width < 1 || width > tileWidth)
    throw new RangeError("A tile's width is 1 to 256.");
  const groups: string[] = [];
  for (let rest = index; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`${groups.length === 0 ? "" : "x"}${String(rest % 1000).padStart(3, "0")}`);
  return `${groups.join("/")}${width === tileWidth ? "" : `.p/${String(width)}`}`;
}

const pathPattern = /^tile\/(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/u;

/** Parses a path of `tilePath` or `entriesPath`; undefined for another text. */
export function parseTilePath(
  path: string,
): { level: number | "entries"; index: number; width: number } | undefined {
  const [, kind, number, partial] = pathPattern.exec(path) ?? [];
  if (kind === undefined || number === undefined) return undefined;
  const level = kind === "entries" ? kind : Number(kind);
  const index = Number(number.replaceAll(/[x/]/gu, ""));
  const width = partial === undefined ? tileWidth : Number(partial);
  if (!Number.isSafeInteger(index) || (partial !== undefined && width >= tileWidth)) return undefined;
  // Refuses leading groups of zeroes, which would give a tile a second path.
  const canonical = level === "entries" ? entriesPath(index, width) : tilePath(level, index, width);
  return canonical === path ? { level, index, width } : undefined;
}

/** Returns the nonempty growing tiles of a tree, level 0 first. */
export function partialTiles(size: number): readonly TilePlace[] {
  const tiles: TilePlace[] = [];
  for (let level = 0, hashes = size; hashes > 0; level += 1, hashes = Math.floor(hashes / tileWidth)) {
    const width = hashes % tileWidth;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / tileWidth), width });
  }
  return tiles;
}

/** Returns the root over consecutive hashes, whose number is a power of two. Does not change the bytes. */
export function subtreeRoot(hashes: Uint8Array): Uint8Array {
  if (hashes.length === hashBytes) return hashes;
  let level: Uint8Array[] = [];
  for (let at = 0; at < hashes.length; at += 2 * hashBytes)
    level.push(
      nodeHash(hashes.subarray(at, at + hashBytes), hashes.subarray(at + hashBytes, at + 2 * hashBytes)),
    );
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      if (left === undefined || right === undefined)
        throw new RangeError("The number of hashes of a subtree is a power of two.");
      above.push(nodeHash(left, right));
    }
    level = above;
  }
  const [root] = level;
  if (root === undefined) throw new RangeError("A subtree has at least one hash.");
  return root;
}

/** Cache of full tiles' inner nodes, by the tile's bytes, because each proof needs 255 nodes of each tile. */
const innerNodes = new WeakMap<Uint8Array, Uint8Array>();

/** Cache of partial tiles' subtrees; all proofs use the same few at the right edge. */
const edgeNodes = new WeakMap<Uint8Array, Map<number, Uint8Array>>();

/**
 * Returns the root over hashes of a tile.
 *
 * @param tile its bytes, which must not change afterwards.
 * @param first index of the first hash, a multiple of `count`.
 * @param count number of hashes, a power of two up to 128.
 */
export function subtreeOf(tile: Uint8Array, first: number, count: number): Uint8Array {
  if (count === 1) return nodeAt(tile, first);
  if (tile.length !== tileWidth * hashBytes) return edgeNode(tile, first, count);
  let nodes = innerNodes.get(tile);
  if (nodes === undefined) {
    nodes = innerNodesOf(tile);
    innerNodes.set(tile, nodes);
  }
  return nodeAt(nodes, (tileWidth + first) / count);
}

function edgeNode(tile: Uint8Array, first: number, count: number): Uint8Array {
  let nodes = edgeNodes.get(tile);
  if (nodes === undefined) edgeNodes.set(tile, (nodes = new Map<number, Uint8Array>()));
  const name = first * tileWidth + count;
  let node = nodes.get(name);
  if (node === undefined) {
    const place = first * hashBytes;
    node = subtreeRoot(tile.subarray(place, place + count * hashBytes));
    nodes.set(name, node);
  }
  return node;
}

/** Computes nodes 1 to 255 of the tile's tree: 1 is the root, n has the children 2n and 2n + 1. */
function innerNodesOf(tile: Uint8Array): Uint8Array {
  const nodes = new Uint8Array(tileWidth * hashBytes);
  for (let node = tileWidth - 1; node > 0; node -= 1) {
    const [from, child] = 2 * node >= tileWidth ? [tile, 2 * node - tileWidth] : [nodes, 2 * node];
    nodes.set(nodeHash(nodeAt(from, child), nodeAt(from, child + 1)), node * hashBytes);
  }
  return nodes;
}

function nodeAt(hashes: Uint8Array, number: number): Uint8Array {
  return hashes.subarray(number * hashBytes, (number + 1) * hashBytes);
}
