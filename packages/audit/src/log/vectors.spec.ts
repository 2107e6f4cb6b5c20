import { describe, expect, it } from "vitest";

import {
  createTree,
  entriesPath,
  leafHash,
  openNote,
  parseSignerKey,
  parseTilePath,
  parseVerifierKey,
  signNote,
  tilePath,
} from "./index.ts";

// Leaves and roots from the shared tests of Certificate Transparency's implementations.
const vectors = [
  ["", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"],
  ["00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
  ["10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"],
  ["2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"],
  ["3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"],
  ["40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"],
  ["5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"],
  ["606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"],
] as const;

// Key and signature from the tests of Go's note package.
const verifierKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const signerKey = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const text =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const line =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

describe("the vectors of the specifications", () => {
  it("makes Certificate Transparency's roots", () => {
    const tree = createTree();
    for (const [leaf, root] of vectors) {
      tree.append(leafHash(Buffer.from(leaf, "hex")));
      expect(Buffer.from(tree.root()).toString("hex")).toBe(root);
    }
  });

  it("signs and opens Go's note", () => {
    expect(parseSignerKey(signerKey).verifierKey).toBe(verifierKey);
    expect(signNote(text, [parseSignerKey(signerKey)])).toBe(`${text}\n${line}`);
    expect(openNote(`${text}\n${line}`, [parseVerifierKey(verifierKey)]).text).toBe(text);
  });

  it("refuses a changed note and a damaged key", () => {
    const verifier = parseVerifierKey(verifierKey);
    expect(() => openNote(`x${text}\n${line}`, [verifier])).toThrow("the note was changed");
    expect(() => openNote(`${text}\n${line}`, [])).toThrow("No known key");
    expect(() => openNote(text, [verifier])).toThrow("no signed note");
    expect(() => parseVerifierKey(verifierKey.replace("c74f", "c74e"))).toThrow("not an Ed25519 note key");
  });

  it("writes the paths of C2SP tlog-tiles, and reads only those", () => {
    expect(tilePath(0, 1_234_067)).toBe("tile/0/x001/x234/067");
    expect(entriesPath(273, 112)).toBe("tile/entries/273.p/112");
    expect(parseTilePath("tile/1/001.p/17")).toEqual({ level: 1, index: 1, width: 17 });
    for (const path of ["tile/64/000", "tile/0/x000/001", "tile/0/001.p/256", "tile/0/1", "tile/00/001"])
      expect(parseTilePath(path)).toBeUndefined();
  });
});
