import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

import { filesBelow } from "./files-below.ts";

/** First bytes of compressed formats, with their decompression. */
const packings = [
  { mark: Buffer.from([0x1f, 0x8b, 0x08]), unpack: gunzipSync },
  { mark: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpack: zstdDecompressSync },
  { mark: Buffer.from([0x78, 0x9c]), unpack: inflateSync },
  { mark: Buffer.from([0x78, 0xda]), unpack: inflateSync },
] as const;

/**
 * Searches all bytes of the files below a directory of stopped instances, including compressed and base64 content.
 * @returns each match as `file: text`
 */
export function unpackedFilesWith(directory: string, texts: readonly string[]): readonly string[] {
  return filesBelow(directory).flatMap((path) => {
    const bytes = readFileSync(path);
    const searched = [bytes, ...unpackedIn(bytes)];
    return texts
      .filter((text) => formsOf(text).some((form) => searched.some((each) => each.includes(form))))
      .map((text) => `${relative(directory, path)}: ${text}`);
  });
}

/** Returns the encodings of a text: plain, UTF-16, and base64 at each of three offsets. */
function formsOf(text: string): readonly (string | Buffer)[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(`${"x".repeat(offset)}${text}`)
      .toString("base64")
      // Characters that depend on neighbouring bytes do not count.
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [text, Buffer.from(text, "utf16le"), ...base64];
}

function unpackedIn(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (const { mark, unpack } of packings)
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1))
      try {
        found.push(unpack(bytes.subarray(at), { maxOutputLength: 67_108_864 }));
      } catch {
        // These bytes only look like the beginning of something compressed.
      }
  return found;
}
