import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { emptyRoot, formatCheckpoint, NoteError, parseCheckpoint } from "./index.ts";

const root = Buffer.alloc(32, 9);
const base64 = root.toString("base64");
const text = `hostledger/a\n42\n${base64}\n`;

describe("checkpoints", () => {
  it("writes three lines: the log's name, its size, its root", () => {
    expect(formatCheckpoint({ origin: "hostledger/a", size: 42, root })).toBe(text);
    expect(formatCheckpoint({ origin: "hostledger/a", size: 0, root: emptyRoot() })).toBe(
      "hostledger/a\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    );
  });

  it("reads back written checkpoints", () => {
    const origins = fc.string({ minLength: 1, unit: "grapheme" }).filter((name) => !name.includes("\n"));
    const roots = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(origins, fc.maxSafeNat(), roots, (origin, size, bytes) => {
        const read = parseCheckpoint(formatCheckpoint({ origin, size, root: bytes }));
        expect({ ...read, root: [...read.root] }).toEqual({ origin, size, root: [...bytes] });
      }),
    );
  });

  it("reads the example of C2SP tlog-checkpoint, and passes over extension lines", () => {
    const example = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    expect(parseCheckpoint(example)).toMatchObject({
      origin: "example.com/behind-the-sofa",
      size: 20_852_163,
    });
    expect(parseCheckpoint(`${text}one\ntwo\n`).size).toBe(42);
  });

  it.each([
    ["nothing", ""],
    ["no name", `\n42\n${base64}\n`],
    ["two lines", "hostledger/a\n42\n"],
    ["no newline at the end", text.slice(0, -1)],
    ["an empty line", `${text}\n`],
    ["an empty line between extensions", `${text}one\n\ntwo\n`],
    ["a size with a zero before it", text.replace("42", "042")],
    ["a negative size", text.replace("42", "-42")],
    ["a size with a sign", text.replace("42", "+42")],
    ["a size with a fraction", text.replace("42", "42.0")],
    ["a size in hexadecimal digits", text.replace("42", "0x2a")],
    ["an empty size", text.replace("42", "")],
    ["a size that no log has", text.replace("42", "9007199254740992")],
    ["a short root", text.replace(base64, base64.slice(4))],
    ["a root without padding", text.replace("=", "")],
    ["a root in another base64", text.replace(base64, `${base64.slice(0, -2)}-=`)],
    ["carriage returns", text.replaceAll("\n", "\r\n")],
  ])("refuses %s", (_, one) => {
    expect(() => parseCheckpoint(one)).toThrow(NoteError);
    expect(() => parseCheckpoint(one)).toThrow("The text is no checkpoint");
  });

  it("refuses to write an unreadable checkpoint", () => {
    expect(() => formatCheckpoint({ origin: "", size: 1, root })).toThrow("one line of text");
    expect(() => formatCheckpoint({ origin: "a\nb", size: 1, root })).toThrow("one line of text");
    expect(() => formatCheckpoint({ origin: "a", size: -1, root })).toThrow("0 or more");
    expect(() => formatCheckpoint({ origin: "a", size: 1.5, root })).toThrow("whole number");
    expect(() => formatCheckpoint({ origin: "a", size: 1, root: root.subarray(1) })).toThrow("32 bytes");
  });
});
