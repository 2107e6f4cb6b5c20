import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { z } from "zod";

/**
 * The fonts of our PDFs (Noto, SIL Open Font License), in the order in which they are tried: Latin, Greek and Cyrillic;
 * kana and Chinese characters; Hangul. A PDF embeds the used glyphs only.
 */
export type FontName = "NotoSans" | "NotoSansHans" | "NotoSansKR";

const require = createRequire(import.meta.url);
const { resolve } = require;
const folderOf = (name: string): string => join(dirname(dirname(resolve(name))), "fonts");
const latin = folderOf("@embedpdf/fonts-latin");
const chinese = join(folderOf("@embedpdf/fonts-sc"), "NotoSansHans-Regular.otf");
const korean = join(folderOf("@embedpdf/fonts-kr"), "NotoSansKR-Regular.otf");

/** Font files by name and weight. */
export const fontFiles: Readonly<Record<FontName, { readonly normal: string; readonly bold: string }>> = {
  NotoSans: { normal: join(latin, "NotoSans-Regular.ttf"), bold: join(latin, "NotoSans-Bold.ttf") },
  NotoSansHans: { normal: chinese, bold: chinese },
  NotoSansKR: { normal: korean, bold: korean },
};

/** An open font of fontkit. */
interface Font {
  hasGlyphForCodePoint(codePoint: number): boolean;
  /** Parsed tables. Fonts of one file may share them, as the variations of a font do in fontkit. */
  _tables: object;
}

/** What pdfkit opens fonts with: fontkit's CommonJS build, which has a list of formats of its own. */
interface FontReader {
  create(bytes: Uint8Array): Font;
  /** Adds a format. pdfkit uses the first one whose `probe` accepts the bytes of a font file. */
  registerFormat(format: {
    new (stream: { readonly buffer: Uint8Array }): object;
    probe(bytes: Uint8Array): boolean;
  }): void;
}
const reader = z.looseObject({ create: z.function(), registerFormat: z.function() });
const fontkit = z.custom<FontReader>((loaded) => reader.safeParse(loaded).success).parse(require("fontkit"));

interface FontFile {
  readonly bytes: Uint8Array;
  readonly font: Font;
}

/** Font files read so far, by path. Most documents need the first alone. */
const read = new Map<string, FontFile>();

function fileAt(path: string): FontFile {
  const known = read.get(path);
  if (known !== undefined) return known;
  const bytes = readFileSync(path);
  const file = { bytes, font: fontkit.create(bytes) };
  read.set(path, file);
  return file;
}

const fontNames = ["NotoSans", "NotoSansHans", "NotoSansKR"] as const satisfies readonly FontName[];

/** Returns the first font that has all characters of a text; undefined if none has. */
export function fontOf(text: string): FontName | undefined {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return fontNames.find((name) => {
    const { font } = fileAt(fontFiles[name].normal);
    return characters.every((code) => font.hasGlyphForCodePoint(code));
  });
}

/**
 * Stands for the bytes of each font file, by path. pdfkit opens the fonts of each document anew, and parsing their tables
 * takes seven eighths of a document's time. From these bytes it gets a new font with the tables that are parsed already.
 * The font must be new: its glyphs keep the characters for which they were used first.
 */
export const fontBytes: ReadonlyMap<string, Buffer> = new Map(
  Object.values(fontFiles).flatMap(({ normal, bold }) =>
    [normal, bold].map((path) => [path, Buffer.from(path)]),
  ),
);
const paths = new Map<Uint8Array, string>([...fontBytes].map(([path, bytes]) => [bytes, path]));

fontkit.registerFormat(
  class ParsedFont {
    static probe(bytes: Uint8Array): boolean {
      return paths.has(bytes);
    }
    constructor({ buffer }: { readonly buffer: Uint8Array }) {
      const { bytes, font } = fileAt(paths.get(buffer) ?? "");
      return Object.assign(fontkit.create(bytes), { _tables: font._tables });
    }
  },
);
