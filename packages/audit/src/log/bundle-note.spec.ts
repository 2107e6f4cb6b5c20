import { describe, expect, it } from "vitest";

import { formatBundleNote, parseBundleNote } from "./bundle-note.ts";
import { formatCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import { NoteError } from "./note-key.ts";

const manifestHash = new Uint8Array(32).fill(7);
const text = formatBundleNote({ origin: "hostledger/test", size: 600, manifestHash });

describe("a bundle's note", () => {
  it("is read back as written", () => {
    const { origin, size, manifestHash: hash } = parseBundleNote(text);
    expect({ origin, size, hash: [...hash] }).toEqual({
      origin: "hostledger/test",
      size: 600,
      hash: [...manifestHash],
    });
  });

  it("is never taken for a checkpoint, not even of a log whose name is a number, nor a checkpoint for it", () => {
    for (const origin of ["hostledger/test", "600"]) {
      expect(() => parseCheckpoint(formatBundleNote({ origin, size: 600, manifestHash }))).toThrow(NoteError);
      expect(() => parseBundleNote(formatCheckpoint({ origin, size: 600, root: manifestHash }))).toThrow(
        NoteError,
      );
    }
  });

  it.each([
    "",
    text.slice(0, -1),
    `${text}more\n`,
    text.replace("600", "0600"),
    text.replace("hostledger/test", ""),
    text.replace("=", ""),
  ])("cannot be %j", (wrong) => {
    expect(() => parseBundleNote(wrong)).toThrow(NoteError);
  });

  it.each([
    { origin: "" },
    { origin: "a\nb" },
    { size: -1 },
    { size: 0.5 },
    { manifestHash: new Uint8Array(31) },
  ])("is not written of %j", (wrong) => {
    const right = { origin: "hostledger/test", size: 600, manifestHash };
    expect(() => formatBundleNote({ ...right, ...wrong })).toThrow(NoteError);
  });
});
