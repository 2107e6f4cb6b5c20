import { shownLabel } from "./internationalized-label.ts";

/** The scripts of today's languages (UAX 31, table 5). Of others a label is unusual even where it has one alone. */
const recommended = [
  "Arabic",
  "Armenian",
  "Bengali",
  "Bopomofo",
  "Cyrillic",
  "Devanagari",
  "Ethiopic",
  "Georgian",
  "Greek",
  "Gujarati",
  "Gurmukhi",
  "Han",
  "Hangul",
  "Hebrew",
  "Hiragana",
  "Kannada",
  "Katakana",
  "Khmer",
  "Lao",
  "Latin",
  "Malayalam",
  "Myanmar",
  "Oriya",
  "Sinhala",
  "Tamil",
  "Telugu",
  "Thaana",
  "Thai",
  "Tibetan",
] as const;

/** What Japanese, Chinese and Korean write together, with Latin (UTS 39 §5.2, "Highly Restrictive"). */
const together = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
] as const;

/** The characters of scripts, as a regular expression's class has them; those of none, such as digits, go with any. */
const charactersOf = (scripts: readonly string[]): string =>
  `\\p{scx=Zyyy}\\p{scx=Zinh}${scripts.map((script) => `\\p{scx=${script}}`).join("")}`;

function createPatterns() {
  return {
    usual: [...recommended.map((script) => [script]), ...together].map(
      (scripts) => new RegExp(`^[${charactersOf(scripts)}]+$`, "u"),
    ),
    unusual: new RegExp(`[^${charactersOf(recommended)}]`, "u"),
    occurs: recommended.map((script) => ({ script, pattern: new RegExp(`\\p{Script=${script}}`, "u") })),
  };
}

/** Made for the first label that needs them: they take 13 ms, and every command of the command line would wait for them. */
let patterns: ReturnType<typeof createPatterns> | undefined;

/** A label that may be meant to be taken for another. */
export interface MixedScripts {
  /** As people read it. */
  readonly shown: string;
  /** By their names in Unicode, in alphabetical order; `another` for those that are hardly in use. */
  readonly scripts: readonly string[];
}

/**
 * The scripts of a name's label where no language writes them together, such as Latin with one Cyrillic letter.
 * @param name in lower case, its label encoded as IDNA 2008 has it.
 * @returns undefined for a label that is "Highly Restrictive" in the words of UTS 39 §5.2, as nearly all are.
 */
export function mixedScriptsOf(name: string): MixedScripts | undefined {
  const [label = ""] = name.split(".", 1);
  // Of letters, digits and hyphens alone.
  if (!label.startsWith("xn--")) return undefined;
  const { usual, unusual, occurs } = (patterns ??= createPatterns());
  const shown = shownLabel(label);
  if (usual.some((pattern) => pattern.test(shown))) return undefined;
  const known = occurs.filter(({ pattern }) => pattern.test(shown)).map(({ script }) => script);
  return { shown, scripts: [...known, ...(unusual.test(shown) ? ["another"] : [])] };
}
