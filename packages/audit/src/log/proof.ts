import { emptyRoot, foldRight, hashBytes, nodeHash, sameBytes } from "./hash.ts";
import { subtreeOf, tileWidth } from "./tile.ts";

/** Reads at least the first `width` hashes of a tile. The array must not change, because its nodes are cached. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array>;

/** Leaves from `begin` up to, but not including, `end`. */
interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Levels of the binary tree in a tile. */
const tileHeight = 8;

/** Returns the root of the tree of the first `size` leaves. */
export async function rootOf(size: number, readTile: ReadTile): Promise<Uint8Array> {
  checkSize(size);
  if (size === 0) return emptyRoot();
  const [root] = await hashesOf([{ begin: 0, end: size }], size, readTile);
  if (root === undefined) throw new RangeError("A tree with leaves has a root.");
  return root;
}

/**
 * Returns the proof that a leaf is in the tree (RFC 6962 §2.1.1), lowest hash first.
 *
 * @throws RangeError if the tree has no such leaf
 */
export async function inclusionProof(
  index: number,
  size: number,
  readTile: ReadTile,
): Promise<readonly Uint8Array[]> {
  checkSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size)
    throw new RangeError(`A tree of ${String(size)} leaves has no leaf ${String(index)}.`);
  const ranges: Range[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + largestPowerBelow(end - begin);
    if (index < middle) {
      ranges.push({ begin: middle, end });
      end = middle;
    } else {
      ranges.push({ begin, end: middle });
      begin = middle;
    }
  }
  return hashesOf(ranges.reverse(), size, readTile);
}

/**
 * Returns the proof that the first tree is a prefix of the second (RFC 6962 §2.1.2); empty if the first tree is empty.
 *
 * @throws RangeError if the first size is larger
 */
export async function consistencyProof(
  first: number,
  second: number,
  readTile: ReadTile,
): Promise<readonly Uint8Array[]> {
  checkSize(first);
  checkSize(second);
  if (first > second)
    throw new RangeError("A consistency proof leads from the smaller tree to the larger one.");
  if (first === 0 || first === second) return [];
  const ranges: Range[] = [];
  let [begin, end] = [0, second];
  while (first !== end) {
    const middle = begin + largestPowerBelow(end - begin);
    if (first <= middle) {
      ranges.push({ begin: middle, end });
      end = middle;
    } else {
      ranges.push({ begin, end: middle });
      begin = middle;
    }
  }
  // The verifier knows the first root, so the proof omits it if it is a subtree of the second tree.
  if (begin > 0) ranges.push({ begin, end });
  return hashesOf(ranges.reverse(), second, readTile);
}

export interface InclusionClaim {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** Returns true if the proof shows that the leaf is in the tree. Never throws. @see RFC 9162 §2.1.3.2 */
export function verifyInclusion({ index, size, leafHash, proof, root }: InclusionClaim): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  if (![leafHash, root, ...proof].every(isHash)) return false;
  let [node, last, hash] = [index, size - 1, leafHash];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash);
      for (; !isOdd(node) && node > 0; last = half(last)) node = half(node);
    } else hash = nodeHash(hash, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 && sameBytes(hash, root);
}

export interface ConsistencyClaim {
  readonly first: number;
  readonly second: number;
  readonly firstRoot: Uint8Array;
  readonly secondRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Returns true if the proof shows that the second tree begins with the first. Never throws. @see RFC 9162 §2.1.4.2 */
export function verifyConsistency({
  first,
  second,
  firstRoot,
  secondRoot,
  proof,
}: ConsistencyClaim): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 0 || first > second)
    return false;
  if (![firstRoot, secondRoot, ...proof].every(isHash)) return false;
  if (first === second) return proof.length === 0 && sameBytes(firstRoot, secondRoot);
  if (first === 0) return proof.length === 0 && sameBytes(firstRoot, emptyRoot());
  let [node, last] = [first - 1, second - 1];
  for (; isOdd(node); last = half(last)) node = half(node);
  // Node is 0 only if the first tree is a complete subtree; then the proof starts at its root.
  const [start, ...rest] = node === 0 ? [firstRoot, ...proof] : proof;
  if (start === undefined) return false;
  let [firstHash, secondHash] = [start, start];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      firstHash = nodeHash(sibling, firstHash);
      secondHash = nodeHash(sibling, secondHash);
      for (; !isOdd(node) && node > 0; last = half(last)) node = half(node);
    } else secondHash = nodeHash(secondHash, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 && sameBytes(firstHash, firstRoot) && sameBytes(secondHash, secondRoot);
}

/** Returns the hashes over ranges; each range must begin where a subtree of its length can begin. */
async function hashesOf(
  ranges: readonly Range[],
  size: number,
  readTile: ReadTile,
): Promise<readonly Uint8Array[]> {
  const tiles = new Map<number, Uint8Array>();
  const hashes: Uint8Array[] = [];
  for (const range of ranges) {
    const subtrees: Uint8Array[] = [];
    for (let { begin } = range; begin < range.end;) {
      const height = heightAt(begin, range.end);
      const level = Math.floor(height / tileHeight);
      const count = 2 ** (height % tileHeight);
      const start = begin / 256 ** level;
      const index = Math.floor(start / tileWidth);
      // Combines level and index into a number, because no tree has 2^46 tiles.
      const key = index * 64 + level;
      const tile = tiles.get(key) ?? (await readWhole(level, index, size, readTile));
      tiles.set(key, tile);
      subtrees.push(subtreeOf(tile, start % tileWidth, count));
      begin += 2 ** height;
    }
    hashes.push(foldRight(subtrees));
  }
  return hashes;
}

async function readWhole(
  level: number,
  index: number,
  size: number,
  readTile: ReadTile,
): Promise<Uint8Array> {
  const width = Math.min(tileWidth, Math.floor(size / 256 ** level) - index * tileWidth);
  const bytes = await readTile(level, index, width);
  if (bytes.length < width * hashBytes)
    throw new RangeError(`The tile ${String(index)} of level ${String(level)} is too short.`);
  return bytes;
}

/** Returns the height of the largest complete subtree that begins at `begin` and ends by `end`. */
function heightAt(begin: number, end: number): number {
  let height = 0;
  for (let width = 2; begin % width === 0 && begin + width <= end; width *= 2) height += 1;
  return height;
}

function largestPowerBelow(length: number): number {
  let power = 1;
  while (power * 2 < length) power *= 2;
  return power;
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0)
    throw new RangeError("A tree's size is a whole number, 0 or more.");
}

const isHash = ({ length }: Uint8Array): boolean => length === hashBytes;
const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
