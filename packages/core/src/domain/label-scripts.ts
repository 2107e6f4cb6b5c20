import { shownLabel } from "./internationalized-label.ts";

/** The scripts of today's languages (UAX 31, table 5). A label in another script is always unusual. */
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

/** Scripts that Japanese, Chinese and Korean mix, with Latin (UTS 39 §5.2, "Highly Restrictive"). */
const together = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
] as const;

/** Returns a character class for scripts. Characters without a script, such as digits, are always included. */
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

/** Built on first use, because it takes 13 ms and every start of the command line would pay for it. */
let patterns: ReturnType<typeof createPatterns> | undefined;

/** A label with an unusual mix of scripts, which may imitate another label. */
export interface MixedScripts {
  readonly shown: string;
  /** Unicode names in alphabetical order; `another` for rare scripts. */
  readonly scripts: readonly string[];
}

/**
 * Returns the scripts of a label that no language mixes, such as Latin with one Cyrillic letter.
 * @param name in lower case, with its label encoded by IDNA 2008.
 * @returns undefined for a label that is "Highly Restrictive" (UTS 39 §5.2), as nearly all are.
 */
export function mixedScriptsOf(name: string): MixedScripts | undefined {
  const [label = ""] = name.split(".", 1);
  // The label contains only ASCII letters, digits and hyphens.
  if (!label.startsWith("xn--")) return undefined;
  const { usual, unusual, occurs } = (patterns ??= createPatterns());
  const shown = shownLabel(label);
  if (usual.some((pattern) => pattern.test(shown))) return undefined;
  const known = occurs.filter(({ pattern }) => pattern.test(shown)).map(({ script }) => script);
  return { shown, scripts: [...known, ...(unusual.test(shown) ? ["another"] : [])] };
}
