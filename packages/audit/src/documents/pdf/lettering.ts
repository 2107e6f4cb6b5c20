import { plain } from "../text.ts";
import { fontOf, type FontName } from "./fonts.ts";

/** A piece of text in one font, as pdfmake takes it. */
export interface Run {
  readonly text: string;
  readonly font: FontName;
}

/** Sets the texts of one file, and notes which characters no font has. */
export interface Lettering {
  /** Returns a text as runs of one font each. A character that no font has is shown as U+FFFD. */
  set(text: string): Run[];
  /** Characters set so far that no font has, in order of code points. */
  missing(): readonly string[];
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Shown for a character that no font has. */
const replacement = "\uFFFD";

export function createLettering(): Lettering {
  const missing = new Set<string>();
  const shown = (cluster: string): Run => {
    // A letter and its marks are one shape, so that they need one font.
    const font = fontOf(cluster);
    if (font !== undefined) return { text: cluster, font };
    const visible = cluster.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
    const fallback = fontOf(visible);
    if (fallback !== undefined) return { text: visible, font: fallback };
    for (const character of visible) if (fontOf(character) === undefined) missing.add(character);
    return { text: replacement, font: "NotoSans" };
  };
  return {
    set(text) {
      const runs: Run[] = [];
      for (const { segment } of graphemes.segment(plain(text))) {
        const run = shown(segment);
        const last = runs.at(-1);
        if (last?.font === run.font) runs[runs.length - 1] = { ...last, text: last.text + run.text };
        else runs.push(run);
      }
      return runs;
    },
    missing: () => [...missing].toSorted((one, other) => codePoint(one) - codePoint(other)),
  };
}

/** Writes a character's code: `U+1F600`. */
export function codeOf(character: string): string {
  return `U+${codePoint(character).toString(16).toUpperCase().padStart(4, "0")}`;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
