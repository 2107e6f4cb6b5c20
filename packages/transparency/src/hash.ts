import { hash } from "node:crypto";

/** Bytes of a SHA-256 hash. */
export const hashBytes = 32;

// One call never runs inside another, so each kind of hash has one buffer and allocates nothing but its result.
const nodeInput = Buffer.alloc(1 + 2 * hashBytes);
nodeInput[0] = 1;
const leafInput = Buffer.alloc(1 + 0x1_0000);

/** SHA-256 of bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // A string on the way: where Node makes the bytes, it allocates each hash on its own, and takes twice as long.
  return Buffer.from(hash("sha256", bytes, "latin1"), "latin1");
}

/**
 * The hash of a leaf, SHA-256(0x00 ‖ entry).
 *
 * @param entry as it stands in its bundle: see `bundledEntry`.
 * @see RFC 6962 §2.1
 */
export function leafHash(entry: Uint8Array): Uint8Array {
  const length = 1 + entry.length;
  const input = length <= leafInput.length ? leafInput : Buffer.alloc(length);
  input.set(entry, 1);
  return sha256(input.subarray(0, length));
}

/** The hash of an inner node, SHA-256(0x01 ‖ left ‖ right). @throws RangeError one is no hash. @see RFC 6962 §2.1 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== hashBytes || right.length !== hashBytes)
    throw new RangeError("A node of the tree is made of two hashes of 32 bytes.");
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + hashBytes);
  return sha256(nodeInput);
}

/** The root of a tree without leaves: SHA-256 of nothing. */
export function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}

/** The root over consecutive subtrees, the largest first, as the left edge of a tree has them. */
export function foldRight(hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  return last === undefined
    ? emptyRoot()
    : hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** Whether two byte strings are the same. Nothing here is secret, so time does not matter. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
