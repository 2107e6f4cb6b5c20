import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import * as fontkit from "fontkit";

/**
 * The fonts of our PDFs (Noto, SIL Open Font License), in the order in which they are tried: Latin, Greek and Cyrillic;
 * kana and Chinese characters; Hangul. A PDF embeds the used glyphs only.
 */
export type FontName = "NotoSans" | "NotoSansHans" | "NotoSansKR";

const { resolve } = createRequire(import.meta.url);
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

/** Fonts opened so far. Most documents need the first alone. */
const opened = new Map<FontName, fontkit.Font>();

/** Returns the first font that has all characters of a text; undefined if none has. */
export function fontOf(text: string): FontName | undefined {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return fontNames.find((name) => characters.every((code) => open(name).hasGlyphForCodePoint(code)));
}

const fontNames = ["NotoSans", "NotoSansHans", "NotoSansKR"] as const satisfies readonly FontName[];

function open(name: FontName): fontkit.Font {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const font = fontkit.create(readFileSync(fontFiles[name].normal));
  if (!("hasGlyphForCodePoint" in font)) throw new Error(`${fontFiles[name].normal} is no single font`);
  opened.set(name, font);
  return font;
}
