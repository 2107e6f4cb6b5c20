import { hashBytes, nodeHash } from "./hash.ts";
import { subtreeRoot, tileWidth } from "./tile.ts";

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
