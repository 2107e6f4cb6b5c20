import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  consistencyProof,
  createTree,
  inclusionProof,
  leafHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  type ConsistencyClaim,
  type InclusionClaim,
} from "./index.ts";
import { naiveLeaf, naivePath, naiveProof, naiveRoot } from "./naive-tree.fixture.ts";
import { treeInMemory } from "./tree-in-memory.fixture.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text, "hex");
const hexes = (proof: readonly Uint8Array[]): readonly string[] => proof.map(hex);

const largest = 66_000;
const leaves = Array.from({ length: largest }, (_, index) => naiveLeaf(index));
const leafBytes = leaves.map(bytes);
const { readTile } = treeInMemory(leafBytes);
const leafAt = (index: number): Uint8Array => bytes(naiveLeaf(index));

// Small trees, and trees of about one or several tiles. Larger ones have their own cases, because they are slow.
const sizes = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 250, max: 1_100 }));
const withIndex = sizes.chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 })));
const withFirst = sizes.chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size })));

describe("known proofs", () => {
  // Leaves and proofs from the shared tests of Certificate Transparency's implementations.
  const known = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
  ];
  const hashes = known.map((leaf) => leafHash(bytes(leaf)));
  const tree = treeInMemory(hashes);
  const n01 = "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125";
  const n23 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e";
  const n45 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a";
  const n67 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0";
  const n03 = "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7";
  const n47 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4";
  const l0 = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d";
  const l1 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7";
  const l4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b";
  const l6 = "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f";

  it.each([
    [0, 1, []],
    [0, 8, [l1, n23, n47]],
    [5, 8, [l4, n67, n03]],
    [2, 3, [n01]],
    [1, 5, [l0, n23, l4]],
  ])("proves leaf %i of %i", async (index, size, proof) => {
    expect(hexes(await inclusionProof(index, size, tree.readTile))).toEqual(proof);
  });

  it.each([
    [1, 1, []],
    [1, 8, [l1, n23, n47]],
    [6, 8, [n45, n67, n03]],
    [2, 5, [n23, l4]],
    [6, 7, [n45, l6, n03]],
  ])("proves that the tree of %i begins that of %i", async (first, second, proof) => {
    expect(hexes(await consistencyProof(first, second, tree.readTile))).toEqual(proof);
  });
});

describe("proofs and RFC 6962's own definitions", () => {
  it("makes the same roots", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        expect(hex(await rootOf(size, readTile))).toBe(naiveRoot(leaves.slice(0, size)));
      }),
      { numRuns: 40 },
    );
    expect(hex(await rootOf(0, readTile))).toBe(naiveRoot([]));
  });

  it("makes the same inclusion proofs, and they verify", async () => {
    await fc.assert(
      fc.asyncProperty(withIndex, async ([size, index]) => {
        const first = leaves.slice(0, size);
        const proof = await inclusionProof(index, size, readTile);
        expect(hexes(proof)).toEqual(naivePath(index, first));
        const root = bytes(naiveRoot(first));
        expect(verifyInclusion({ index, size, leafHash: leafAt(index), proof, root })).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("makes the same consistency proofs, and they verify", async () => {
    await fc.assert(
      fc.asyncProperty(withFirst, async ([second, first]) => {
        const all = leaves.slice(0, second);
        const proof = await consistencyProof(first, second, readTile);
        expect(hexes(proof)).toEqual(naiveProof(first, all));
        const firstRoot = bytes(naiveRoot(all.slice(0, first)));
        const secondRoot = bytes(naiveRoot(all));
        expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    [65_535, 65_280],
    [65_536, 300],
    [65_537, 65_536],
    [66_000, 511],
  ])("makes the same proofs if %i leaves have a third level of tiles", async (size, place) => {
    const all = leaves.slice(0, size);
    const root = await rootOf(size, readTile);
    const proof = await inclusionProof(place, size, readTile);
    expect(hexes(proof)).toEqual(naivePath(place, all));
    expect(verifyInclusion({ index: place, size, leafHash: leafAt(place), proof, root })).toBe(true);
    expect(hexes(await consistencyProof(place, size, readTile))).toEqual(naiveProof(place, all));
  });

  it("proves every leaf of every tree up to 40, and every pair of them", async () => {
    const tree = createTree();
    const roots = [tree.root()];
    for (let size = 1; size <= 40; size += 1) {
      tree.append(leafAt(size - 1));
      roots.push(tree.root());
      const root = tree.root();
      for (let index = 0; index < size; index += 1) {
        const proof = await inclusionProof(index, size, readTile);
        expect(verifyInclusion({ index, size, leafHash: leafAt(index), proof, root })).toBe(true);
      }
      for (const [first, firstRoot] of roots.entries()) {
        const proof = await consistencyProof(first, size, readTile);
        expect(verifyConsistency({ first, second: size, firstRoot, secondRoot: root, proof })).toBe(true);
      }
    }
  });
});

/** Returns a copy with one bit changed. */
function flipped(hash: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(hash);
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << (at % 8));
  return copy;
}

const anyHash = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("verifyInclusion", () => {
  const claimOf = async (index: number, size: number): Promise<InclusionClaim> => ({
    index,
    size,
    leafHash: leafAt(index),
    proof: await inclusionProof(index, size, readTile),
    root: await rootOf(size, readTile),
  });

  it("refuses another leaf, another place, another root and every change of the proof", async () => {
    await fc.assert(
      fc.asyncProperty(withIndex, fc.nat(255), anyHash, async ([size, index], at, hash) => {
        const claim = await claimOf(index, size);
        const wrong: Partial<InclusionClaim>[] = [
          { leafHash: leafAt(index + 1) },
          { leafHash: flipped(claim.leafHash, at) },
          { root: flipped(claim.root, at) },
          { proof: [...claim.proof, hash] },
          { proof: [hash, ...claim.proof] },
        ];
        for (const other of [index - 1, index + 1]) if (other !== index) wrong.push({ index: other });
        for (const place of claim.proof.keys()) {
          wrong.push({ proof: claim.proof.filter((_, one) => one !== place) });
          wrong.push({ proof: claim.proof.map((one, n) => (n === place ? flipped(one, at) : one)) });
        }
        for (const one of wrong) expect(verifyInclusion({ ...claim, ...one })).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it("refuses numbers and lengths that cannot be, and does not throw", async () => {
    const claim = await claimOf(5, 8);
    expect(verifyInclusion(claim)).toBe(true);
    for (const one of [
      { index: -1 },
      { index: 8 },
      { index: 5.5 },
      { index: NaN },
      { size: 0 },
      { size: 2 ** 53 },
      { leafHash: new Uint8Array() },
      { root: claim.root.subarray(1) },
      { proof: [] },
      { proof: claim.proof.map((hash) => hash.subarray(1)) },
    ])
      expect(verifyInclusion({ ...claim, ...one })).toBe(false);
  });

  it("refuses the proof of a smaller tree for a larger tree", async () => {
    const small = await claimOf(1, 4);
    expect(verifyInclusion(small)).toBe(true);
    expect(verifyInclusion({ ...small, size: 8 })).toBe(false);
  });
});

describe("verifyConsistency", () => {
  it("refuses another root and every change of the proof", async () => {
    await fc.assert(
      fc.asyncProperty(withFirst, fc.nat(255), anyHash, async ([second, first], at, hash) => {
        const claim: ConsistencyClaim = {
          first,
          second,
          firstRoot: await rootOf(first, readTile),
          secondRoot: await rootOf(second, readTile),
          proof: await consistencyProof(first, second, readTile),
        };
        const wrong: Partial<ConsistencyClaim>[] = [
          { firstRoot: flipped(claim.firstRoot, at) },
          { proof: [...claim.proof, hash] },
          { proof: [hash, ...claim.proof] },
        ];
        // The empty tree precedes every tree, so then the second root does not matter.
        if (first > 0) wrong.push({ secondRoot: flipped(claim.secondRoot, at) }, { first: first - 1 });
        for (const place of claim.proof.keys()) {
          wrong.push({ proof: claim.proof.filter((_, one) => one !== place) });
          wrong.push({ proof: claim.proof.map((one, n) => (n === place ? flipped(one, at) : one)) });
        }
        for (const one of wrong) expect(verifyConsistency({ ...claim, ...one })).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it("refuses numbers and lengths that cannot be, and does not throw", async () => {
    const [firstRoot, secondRoot] = [await rootOf(3, readTile), await rootOf(8, readTile)];
    const claim = {
      first: 3,
      second: 8,
      firstRoot,
      secondRoot,
      proof: await consistencyProof(3, 8, readTile),
    };
    expect(verifyConsistency(claim)).toBe(true);
    for (const one of [
      { first: -1 },
      { first: 9 },
      { first: 2.5 },
      { second: NaN },
      { second: 3 },
      { first: 0 },
      { firstRoot: new Uint8Array(31) },
      { secondRoot: new Uint8Array(33) },
      { proof: [] },
      { proof: claim.proof.map((hash) => hash.subarray(1)) },
    ])
      expect(verifyConsistency({ ...claim, ...one })).toBe(false);
  });
});

describe("making proofs", () => {
  it("refuses indexes and sizes outside the tree", async () => {
    await expect(inclusionProof(8, 8, readTile)).rejects.toThrow("A tree of 8 leaves has no leaf 8.");
    await expect(inclusionProof(-1, 8, readTile)).rejects.toThrow("has no leaf -1");
    await expect(inclusionProof(0, 0, readTile)).rejects.toThrow("A tree of 0 leaves has no leaf 0.");
    await expect(consistencyProof(9, 8, readTile)).rejects.toThrow("from the smaller tree to the larger one");
    await expect(consistencyProof(-1, 8, readTile)).rejects.toThrow("0 or more");
    await expect(rootOf(1.5, readTile)).rejects.toThrow("a whole number");
  });

  it("names a tile that is too short", async () => {
    const short = async (...place: Parameters<typeof readTile>): Promise<Uint8Array> =>
      (await readTile(...place)).subarray(32);
    await expect(inclusionProof(0, 256, short)).rejects.toThrow("The tile 0 of level 0 is too short.");
  });

  it("asks for each tile once, and for the width that the tree of that size has", async () => {
    const asked: string[] = [];
    await inclusionProof(300, 66_000, (level, index, width) => {
      asked.push([level, index, width].join("/"));
      return readTile(level, index, width);
    });
    expect(asked.toSorted()).toEqual(["0/1/256", "0/257/208", "1/0/256", "1/1/1"]);
  });

  it("returns the same proof from a cached tile and from its copy", async () => {
    const copied = async (...place: Parameters<typeof readTile>): Promise<Uint8Array> =>
      Uint8Array.from(await readTile(...place));
    for (const index of [0, 1, 255, 256, 511, 65_535]) {
      const proof = hexes(await inclusionProof(index, 66_000, readTile));
      expect(hexes(await inclusionProof(index, 66_000, readTile))).toEqual(proof);
      expect(hexes(await inclusionProof(index, 66_000, copied))).toEqual(proof);
    }
  });
});
