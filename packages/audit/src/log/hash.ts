import { hash } from "node:crypto";

export const hashBytes = 32;

// Calls never nest, so they can share buffers and allocate only their results.
const nodeInput = Buffer.alloc(1 + 2 * hashBytes);
nodeInput[0] = 1;
const leafInput = Buffer.alloc(1 + 0x1_0000);

export function sha256(bytes: Uint8Array): Uint8Array {
  // Hashing to a string is twice as fast, because Node allocates each byte result separately.
  return Buffer.from(hash("sha256", bytes, "latin1"), "latin1");
}

/**
 * Returns the hash of a leaf, SHA-256(0x00 ‖ entry).
 *
 * @param entry in its bundle's form, see `bundledEntry`.
 * @see RFC 6962 §2.1
 */
export function leafHash(entry: Uint8Array): Uint8Array {
  const length = 1 + entry.length;
  const input = length <= leafInput.length ? leafInput : Buffer.alloc(length);
  input.set(entry, 1);
  return sha256(input.subarray(0, length));
}

/**
 * Returns the hash of an inner node, SHA-256(0x01 ‖ left ‖ right).
 * @throws RangeError if a child is no hash.
 * @see RFC 6962 §2.1
 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== hashBytes || right.length !== hashBytes)
    throw new RangeError("A node of the tree is made of two hashes of 32 bytes.");
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + hashBytes);
  return sha256(nodeInput);
}

/** Returns the root of an empty tree: SHA-256 of no bytes. */
export function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}

/** Returns the root over consecutive subtrees, the largest first. */
export function foldRight(hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  return last === undefined
    ? emptyRoot()
    : hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** Compares byte strings; not in constant time, because nothing here is secret. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
