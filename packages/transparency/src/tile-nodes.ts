import { hashBytes, nodeHash } from "./hash.ts";
import { subtreeRoot, tileWidth } from "./tile.ts";

/**
 * The inner nodes of full tiles, as long as someone holds the tile's bytes. A proof needs 255 of them in each tile on its
 * way, so without this nearly all of its time goes into hashing the same tiles again. Partial tiles are not kept: they
 * are smaller, and each of their widths would be another array.
 */
const innerNodes = new WeakMap<Uint8Array, Uint8Array>();

/**
 * The root over hashes of a tile.
 *
 * @param tile its bytes; those of a full tile must not change afterwards.
 * @param first the first hash, a multiple of `count`.
 * @param count how many, a power of two up to 128.
 */
export function subtreeOf(tile: Uint8Array, first: number, count: number): Uint8Array {
  const place = first * hashBytes;
  if (tile.length !== tileWidth * hashBytes || count === 1)
    return subtreeRoot(tile.subarray(place, place + count * hashBytes));
  let nodes = innerNodes.get(tile);
  if (nodes === undefined) {
    nodes = innerNodesOf(tile);
    innerNodes.set(tile, nodes);
  }
  return nodeAt(nodes, (tileWidth + first) / count);
}

/** Node 1 is the root, and the children of node n are 2n and 2n + 1, down to 255; the tile has those from 256 on. */
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
