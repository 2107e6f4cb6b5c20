import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  createTileBuilder,
  createTree,
  partialTiles,
  subtreeRoot,
  tilePath,
  type Tile,
  type TileBuilder,
  type TreeEdge,
} from "./index.ts";
import { naiveLeaf, naiveRoot } from "./naive-tree.fixture.ts";
import { treeInMemory } from "./tree-in-memory.fixture.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const leaves = Array.from({ length: 66_100 }, (_, index) => naiveLeaf(index));
const hashes = leaves.map((leaf): Uint8Array => Buffer.from(leaf, "hex"));

/** Returns the paths and bytes of the tiles' files. */
const filesOf = (tiles: readonly Tile[]): readonly (readonly [string, string])[] =>
  tiles.map(({ level, index, width, bytes }) => [tilePath(level, index, width), hex(bytes)]);

function straight(size: number): { full: readonly Tile[]; builder: TileBuilder } {
  const full: Tile[] = [];
  const builder = createTileBuilder({ emit: (tile) => void full.push(tile) });
  for (const hash of hashes.slice(0, size)) builder.append(hash);
  return { full, builder };
}

describe("createTileBuilder", () => {
  it("makes the tiles that C2SP names for 70,000 leaves", () => {
    // Level 0: 273 full tiles and one of width 112. Level 1: a full tile and one of width 17. Level 2: width 1.
    const places = partialTiles(70_000);
    expect(places.map(({ level, index, width }) => tilePath(level, index, width))).toEqual([
      "tile/0/273.p/112",
      "tile/1/001.p/17",
      "tile/2/000.p/1",
    ]);
  });

  it("holds in level 0 the leaves, and above the root of each full tile below", () => {
    const { full, builder } = straight(66_000);
    const tiles = [...full, ...builder.partials()];
    expect(full.filter(({ level }) => level === 0)).toHaveLength(257);
    expect(full.filter(({ level }) => level === 1)).toHaveLength(1);
    for (const { level, index, width, bytes } of tiles) {
      expect(bytes).toHaveLength(width * 32);
      const span = 256 ** level;
      for (const at of new Set([0, width - 1])) {
        const first = (index * 256 + at) * span;
        const hash = hex(bytes.subarray(at * 32, at * 32 + 32));
        expect(hash).toBe(naiveRoot(leaves.slice(first, first + span)));
      }
    }
  });

  it("emits each full tile once, lower levels first, and never changes it afterwards", () => {
    const { full } = straight(65_536);
    const names = full.map(({ level, index }) => tilePath(level, index));
    expect(new Set(names).size).toBe(names.length);
    expect(names.slice(-2)).toEqual(["tile/0/255", "tile/1/000"]);
    const first = full[0];
    expect(hex(first?.bytes.subarray(0, 32) ?? new Uint8Array())).toBe(leaves[0]);
  });

  /** Builds a tree with a stop at each size; only the growing tiles survive a stop. */
  function withStops(
    stops: readonly number[],
    size: number,
  ): { full: readonly Tile[]; builder: TileBuilder } {
    const full: Tile[] = [];
    const emit = (tile: Tile): void => void full.push(tile);
    let builder = createTileBuilder({ emit });
    for (const stop of [...stops, size]) {
      for (const hash of hashes.slice(builder.size, stop)) builder.append(hash);
      builder = createTileBuilder({ edge: { size: stop, tiles: builder.partials() }, emit });
      expect(builder.size).toBe(stop);
    }
    return { full, builder };
  }

  it.each([
    ["every size up to 600", Array.from({ length: 600 }, (_, stop) => stop), 600],
    ["the sizes at which a third level begins", [65_279, 65_280, 65_535, 65_536, 65_537, 65_791], 66_100],
  ])("continues after stops at %s as without stops", (_, stops, size) => {
    const [stopped, whole] = [withStops(stops, size), straight(size)];
    expect(filesOf(stopped.full)).toEqual(filesOf(whole.full));
    expect(filesOf(stopped.builder.partials())).toEqual(filesOf(whole.builder.partials()));
  });

  it("refuses growing tiles of another size, and invalid hashes", () => {
    const tiles = straight(300).builder.partials();
    const emit = (): void => undefined;
    const fits = "do not fit the size";
    expect(() => createTileBuilder({ edge: { size: 301, tiles }, emit })).toThrow(fits);
    expect(() => createTileBuilder({ edge: { size: 300, tiles: tiles.slice(1) }, emit })).toThrow(fits);
    const short = tiles.map((tile) => ({ ...tile, bytes: tile.bytes.subarray(1) }));
    expect(() => createTileBuilder({ edge: { size: 300, tiles: short }, emit })).toThrow(fits);
    expect(() => createTileBuilder({ emit }).append(new Uint8Array(31))).toThrow("32 bytes");
  });

  it("has of a growing tile the first hashes, of any other nothing", () => {
    const { builder } = straight(600);
    const grown = builder.growing({ level: 0, index: 2, width: 88 });
    expect(hex(grown ?? new Uint8Array())).toBe(leaves.slice(512, 600).join(""));
    expect(builder.growing({ level: 0, index: 2, width: 1 })).toEqual(grown?.slice(0, 32));
    expect(hex(builder.growing({ level: 1, index: 0, width: 2 }) ?? new Uint8Array())).toBe(
      naiveRoot(leaves.slice(0, 256)) + naiveRoot(leaves.slice(256, 512)),
    );
    for (const place of [
      { level: 0, index: 2, width: 89 },
      { level: 0, index: 1, width: 256 },
      { level: 0, index: 3, width: 1 },
      { level: 1, index: 0, width: 3 },
      { level: 2, index: 0, width: 1 },
    ])
      expect(builder.growing(place)).toBeUndefined();
  });

  it("returns copies, so that callers cannot change its state", () => {
    const { builder } = straight(10);
    const before = filesOf(builder.partials());
    for (const { bytes } of builder.partials()) bytes.fill(0);
    expect(filesOf(builder.partials())).toEqual(before);
  });
});

describe("createTree", () => {
  it("has the root of RFC 6962 at every size", () => {
    const tree = createTree();
    for (let size = 0; size <= 300; size += 1) {
      expect(tree.size).toBe(size);
      expect(hex(tree.root())).toBe(naiveRoot(leaves.slice(0, size)));
      tree.append(hashes[size] ?? new Uint8Array());
    }
  });

  it("continues from its edge at every size, and from tiles", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 600 }), (stop, more) => {
        const before = createTree();
        for (const hash of hashes.slice(0, stop)) before.append(hash);
        const after = createTree(before.edge());
        for (const hash of hashes.slice(stop, stop + more)) after.append(hash);
        expect(hex(after.root())).toBe(naiveRoot(leaves.slice(0, stop + more)));
        expect(before.size).toBe(stop);
      }),
      { numRuns: 25 },
    );
  });

  it("stores one hash for each 1 in the binary form of its size", () => {
    const tree = createTree();
    for (const hash of hashes.slice(0, 1_000)) {
      tree.append(hash);
      expect(tree.edge().hashes).toHaveLength(tree.size.toString(2).replaceAll("0", "").length);
    }
  });

  it.each<[string, TreeEdge]>([
    ["too few hashes", { size: 3, hashes: [new Uint8Array(32)] }],
    ["too many", { size: 4, hashes: [new Uint8Array(32), new Uint8Array(32)] }],
    ["a negative size", { size: -1, hashes: [] }],
    ["a size that is no number of leaves", { size: 0.5, hashes: [] }],
    ["a short hash", { size: 1, hashes: [new Uint8Array(31)] }],
  ])("refuses an edge with %s", (_, edge) => {
    expect(() => createTree(edge)).toThrow(RangeError);
  });
});

describe("subtreeRoot", () => {
  it("refuses a number of hashes that is no power of two", () => {
    expect(() => subtreeRoot(new Uint8Array())).toThrow(RangeError);
    expect(() => subtreeRoot(new Uint8Array(3 * 32))).toThrow(RangeError);
    expect(() => subtreeRoot(new Uint8Array(33))).toThrow(RangeError);
  });

  it("is the root of RFC 6962, and leaves the bytes unchanged", () => {
    const [tile] = treeInMemory(hashes.slice(0, 256)).full;
    const bytes = tile?.bytes ?? new Uint8Array();
    const before = hex(bytes);
    for (let count = 1; count <= 256; count *= 2)
      expect(hex(subtreeRoot(bytes.subarray(0, count * 32)))).toBe(naiveRoot(leaves.slice(0, count)));
    expect(hex(bytes)).toBe(before);
  });
});
