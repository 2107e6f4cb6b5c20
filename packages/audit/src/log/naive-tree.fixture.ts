import { createHash } from "node:crypto";

/** RFC 6962 §2.1 literally: recursive, slow and without code of this package, to test it. */

/** A hash as hexadecimal digits. */
export type Hex = string;

const sha256 = (...hexes: readonly Hex[]): Hex => {
  const hash = createHash("sha256");
  for (const hex of hexes) hash.update(Buffer.from(hex, "hex"));
  return hash.digest("hex");
};

export const naiveLeaf = (index: number): Hex =>
  sha256("00", Buffer.from(`leaf ${String(index)}`).toString("hex"));

/** Computes the root, MTH(D[n]) of RFC 6962. */
export function naiveRoot(leaves: readonly Hex[]): Hex {
  if (leaves.length === 0) return sha256();
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  const k = split(leaves.length);
  return sha256("01", naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** Computes the inclusion proof, PATH(m, D[n]) of RFC 6962. */
export function naivePath(m: number, leaves: readonly Hex[]): readonly Hex[] {
  if (leaves.length <= 1) return [];
  const k = split(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

/** Computes the consistency proof, PROOF(m, D[n]) of RFC 6962. */
export function naiveProof(m: number, leaves: readonly Hex[]): readonly Hex[] {
  return m === 0 ? [] : subProof(m, leaves, true);
}

/** Computes SUBPROOF(m, D[n], b) of RFC 6962. */
function subProof(m: number, leaves: readonly Hex[], whole: boolean): readonly Hex[] {
  const n = leaves.length;
  if (m === n) return whole ? [] : [naiveRoot(leaves)];
  const k = split(n);
  return m <= k
    ? [...subProof(m, leaves.slice(0, k), whole), naiveRoot(leaves.slice(k))]
    : [...subProof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
