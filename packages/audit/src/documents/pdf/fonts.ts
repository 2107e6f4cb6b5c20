import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import type * as Fontkit from "fontkit";
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

/** What pdfkit opens fonts with: its CommonJS build, whose list of formats is another than that of the ES module. */
interface FontReader extends Pick<typeof Fontkit, "create"> {
  /** Adds a format. pdfkit uses the first one whose `probe` accepts the bytes of a font file. */
  registerFormat(format: {
    new (stream: { readonly buffer: Uint8Array }): object;
    probe(bytes: Uint8Array): boolean;
  }): void;
}
const fontkit = z
  .custom<FontReader>(
    (loaded) =>
      z.looseObject({ create: z.function(), registerFormat: z.function() }).safeParse(loaded).success,
  )
  .parse(require("fontkit"));

/** Fonts opened so far, by path. Most documents need the first alone. */
const opened = new Map<string, Fontkit.Font>();

/** Returns the first font that has all characters of a text; undefined if none has. */
export function fontOf(text: string): FontName | undefined {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return fontNames.find((name) =>
    characters.every((code) => open(fontFiles[name].normal).hasGlyphForCodePoint(code)),
  );
}

const fontNames = ["NotoSans", "NotoSansHans", "NotoSansKR"] as const satisfies readonly FontName[];

function open(path: string): Fontkit.Font {
  const known = opened.get(path);
  if (known !== undefined) return known;
  const font = fontkit.create(readFileSync(path));
  if (!("hasGlyphForCodePoint" in font)) throw new Error(`${path} is no single font`);
  opened.set(path, font);
  return font;
}

/**
 * Stands for the bytes of each font file, by path. pdfkit opens the fonts of each document anew, and parsing their tables
 * takes seven eighths of a document's time; given these bytes, it gets the font that is already open.
 */
export const fontBytes: ReadonlyMap<string, Buffer> = new Map(
  Object.values(fontFiles).flatMap(({ normal, bold }) =>
    [normal, bold].map((path) => [path, Buffer.from(path)]),
  ),
);
const paths = new Map<Uint8Array, string>([...fontBytes].map(([path, bytes]) => [bytes, path]));

fontkit.registerFormat(
  class OpenFont {
    static probe(bytes: Uint8Array): boolean {
      return paths.has(bytes);
    }
    constructor({ buffer }: { readonly buffer: Uint8Array }) {
      return open(paths.get(buffer) ?? "");
    }
  },
);
