import { foldRight, hashBytes, nodeHash } from "./hash.ts";

/** The state of a tree for appending: the roots of its complete subtrees, the largest first. */
export interface TreeEdge {
  /** Number of leaves. */
  readonly size: number;
  readonly hashes: readonly Uint8Array[];
}

/** A growing Merkle tree (RFC 6962 §2.1) of bounded state: a hash for each binary 1 of its size. */
export interface Tree {
  readonly size: number;
  append(leafHash: Uint8Array): void;
  root(): Uint8Array;
  edge(): TreeEdge;
}

/** Creates a tree, or continues one. @throws RangeError if the edge does not fit its size */
export function createTree(edge: TreeEdge = { size: 0, hashes: [] }): Tree {
  if (!Number.isSafeInteger(edge.size) || edge.size < 0 || edge.hashes.length !== onesOf(edge.size))
    throw new RangeError("The edge of a tree has one hash for each 1 in the binary form of its size.");
  if (edge.hashes.some(({ length }) => length !== hashBytes))
    throw new RangeError("The edge of a tree consists of hashes of 32 bytes.");
  let size = edge.size;
  const hashes = [...edge.hashes];
  return {
    get size() {
      return size;
    },
    append(leafHash) {
      let hash = leafHash;
      // As in a binary counter, each trailing 1 of the size is a subtree that the new leaf completes.
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
        const left = hashes.pop();
        if (left !== undefined) hash = nodeHash(left, hash);
      }
      hashes.push(hash);
      size += 1;
    },
    root: () => foldRight(hashes),
    edge: () => ({ size, hashes: [...hashes] }),
  };
}

function onesOf(size: number): number {
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}
