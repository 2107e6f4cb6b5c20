import { createServer, type Server } from "node:http";

import { listen } from "@hostledger/runtime/testing";
import {
  bundledEntry,
  consistencyProof,
  createTileBuilder,
  encodeEntry,
  formatCheckpoint,
  generateSigner,
  inclusionProof,
  leafHash,
  rootOf,
  signNote,
  type ReadTile,
  type Tile,
} from "@hostledger/audit/log";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { createConsole } from "./console.ts";
import { element, visible } from "./page/picture.js";
import * as browser from "./page/transparency.js";

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer(createConsole());
  origin = `http://127.0.0.1:${String(await listen(server))}`;
});
afterAll(() => server.close());
afterEach(() => vi.unstubAllGlobals());

describe("the console's files", () => {
  it.each(["/audit", "/audit/", "/audit?a", "/audit/console.js", "/audit/console.css", "/audit/picture.js"])(
    "serves %s with the policy",
    async (path) => {
      const response = await fetch(origin + path);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(response.status).toBe(200);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await response.text()).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    },
  );
  it("are complete, and can only be read", async () => {
    expect((await fetch(`${origin}/audit/..%2fconsole.ts`)).status).toBe(404);
    expect((await fetch(`${origin}/audit`, { method: "POST" })).status).toBe(405);
  });
});

const size = 300;
const eventAt = (index: number) => ({
  stream: `account-${String(index)}`,
  revision: String(index),
  id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  type: "AccountOpened.v1",
  time: "2026-11-21T11:03:26.123456Z",
  // One event is too long for an entry bundle.
  data: `{"name":"Zoë ${"x".repeat(index === 3 ? 70_000 : 1)}"}`,
  metadata: "{}",
});
const serverEntry = (index: number) => {
  const event = eventAt(index);
  return bundledEntry(encodeEntry({ ...event, revision: BigInt(event.revision) }));
};
const copy = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Uint8Array.from(hash));

function treeOf(leaves: number): ReadTile {
  const tiles: Tile[] = [];
  const builder = createTileBuilder({ emit: (tile) => tiles.push(tile) });
  for (let index = 0; index < leaves; index += 1) builder.append(leafHash(serverEntry(index)));
  tiles.push(...builder.partials());
  return (level, index, width) => {
    const tile = tiles.find((one) => one.level === level && one.index === index && one.width >= width);
    if (tile === undefined) throw new Error(`There is no tile ${String(level)}/${String(index)}.`);
    return Promise.resolve(tile.bytes.slice(0, width * 32));
  };
}

describe("the browser's own computation", () => {
  const readTile = treeOf(size);

  it("makes the entries and leaf hashes that the log makes", async () => {
    for (const index of [0, 3, 299]) {
      const entry = await browser.entryOf(eventAt(index));
      expect(Buffer.from(entry).equals(serverEntry(index))).toBe(true);
      expect(Buffer.from(await browser.leafHash(entry)).equals(leafHash(serverEntry(index)))).toBe(true);
    }
  });

  it("accepts proofs of inclusion, and refuses each flipped byte", async () => {
    for (const index of [0, 3, 255, 256, 299]) {
      const proof = copy(await inclusionProof(index, size, readTile));
      const root = await rootOf(size, readTile);
      const shown = eventAt(index);
      const verify = async (event: browser.ShownEvent, at = index) =>
        browser.verifyInclusion({
          index: at,
          size,
          leaf: await browser.leafHash(await browser.entryOf(event)),
          proof,
          root,
        });
      expect(await verify(shown)).toBe(true);
      expect(await verify({ ...shown, data: shown.data.replace("Zoë", "Zoe") })).toBe(false);
      expect(await verify({ ...shown, metadata: "{ }" })).toBe(false);
      expect(await verify({ ...shown, time: "2026-11-21T11:03:26.123457Z" })).toBe(false);
      expect(await verify(shown, (index + 1) % size)).toBe(false);
    }
  });

  it("accepts proofs of consistency, and refuses another root before, and a shorter log after", async () => {
    for (const first of [1, 2, 3, 4, 128, 255, 256, 257, 299, 300]) {
      const claim = {
        first,
        second: size,
        firstRoot: Uint8Array.from(await rootOf(first, readTile)),
        secondRoot: await rootOf(size, readTile),
        proof: copy(await consistencyProof(first, size, readTile)),
      };
      expect(await browser.verifyConsistency(claim)).toBe(true);
      expect(await browser.verifyConsistency({ ...claim, firstRoot: new Uint8Array(32) })).toBe(false);
      expect(await browser.verifyConsistency({ ...claim, secondRoot: new Uint8Array(32) })).toBe(false);
      expect(await browser.verifyConsistency({ ...claim, first: size + 1 })).toBe(false);
    }
  });

  it("opens a checkpoint with the published key only", async () => {
    const [signer, other] = [generateSigner("hostledger/1"), generateSigner("hostledger/1")];
    const body = formatCheckpoint({ origin: "hostledger/1", size, root: await rootOf(size, readTile) });
    const note = signNote(body, [signer, other]);
    expect(await browser.openCheckpoint(note, [signer.verifierKey])).toMatchObject({ size });
    await expect(browser.openCheckpoint(note, [generateSigner("hostledger/1").verifierKey])).rejects.toThrow(
      "not signed with the published key",
    );
    await expect(
      browser.openCheckpoint(note.replace("\n300\n", "\n301\n"), [signer.verifierKey]),
    ).rejects.toThrow("is wrong");
    const foreign = signNote(body.replace("hostledger/1", "hostledger/2"), [signer]);
    await expect(browser.openCheckpoint(foreign, [signer.verifierKey])).rejects.toThrow("another log");
  });
});

describe("marks that turn the direction of text", () => {
  it.each(["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"])("%j is seen", (mark) => {
    expect(visible(`12${mark}34`)).toBe("12\ufffd34");
  });

  it("are found in every element", () => {
    const children: unknown[] = [];
    const made = { append: (...given: unknown[]) => void children.push(...given), setAttribute: vi.fn() };
    vi.stubGlobal("document", { createElement: () => made });
    element("td", {}, "\u202e00.01", "ישראל");
    expect(children).toEqual(["\ufffd00.01", "ישראל"]);
  });
});
