import { hashBytes, nodeHash } from "./hash.ts";
import { subtreeRoot, tileWidth } from "./tile.ts";

/**
 * The inner nodes of full tiles, as long as someone holds the tile's bytes. A proof needs 255 of them in each tile on its
 * way, so without this nearly all of its time goes into hashing the same tiles again.
 */
const innerNodes = new WeakMap<Uint8Array, Uint8Array>();

/** The subtrees of partial tiles that were asked for: every proof goes by the same few, at the right edge. */
const edgeNodes = new WeakMap<Uint8Array, Map<number, Uint8Array>>();

/**
 * The root over hashes of a tile.
 *
 * @param tile its bytes, which must not change afterwards.
 * @param first the first hash, a multiple of `count`.
 * @param count how many, a power of two up to 128.
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
