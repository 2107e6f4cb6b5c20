import { parsed, unparsable, type Parsed } from "./result.ts";

/** Reads a positive id that JavaScript represents exactly. */
export function parseId(value: bigint): Parsed<number> {
  return value > 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? parsed(Number(value))
    : unparsable("must be a positive id");
}

/** Returns true if a text has at most `limit` Unicode code points, as JSON Schema, the gateway and PostgreSQL count. */
export function hasAtMost(text: string, limit: number): boolean {
  // A character takes one or two UTF-16 units, so counting is needed only between the two bounds.
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
}

/** Returns at most `limit` characters of a text without splitting a surrogate pair. */
export function firstCharacters(text: string, limit: number): string {
  return Array.from(text.slice(0, 2 * limit))
    .slice(0, limit)
    .join("");
}

/** Reads a trimmed line of 1 to `limit` characters without control characters and lone surrogates. */
export function parseLine(text: string, limit: number): Parsed<string> {
  const line = text.trim();
  if (line === "" || !hasAtMost(line, limit))
    return unparsable(`must be 1 to ${String(limit)} characters long`);
  return isLine(line) ? parsed(line) : unparsable("must be one line of well-formed text");
}

/** Returns true for text without line breaks, other control characters and lone surrogates. */
export function isLine(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/** Maximum characters of a reason that staff give. */
export const longestStaffReason = 500;

/** Reads the reason that staff give for an action; it is stored in events and shown to people. */
export function parseStaffReason(text: string): Parsed<string> {
  return parseLine(text, longestStaffReason);
}

/** Invisible characters: zero-width spaces and joiners, soft hyphens, fillers, anchors, variation selectors. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u{2800}\u{FFF9}-\u{FFFB}]/u;

/** Visible characters with invisible parts: emoji, which may contain joiners, and ideographs with a variation selector. */
const composed =
  /\p{RGI_Emoji}|[\p{Extended_Pictographic}\p{Ideographic}][\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]/gv;

/**
 * Finds direction controls (Unicode's Bidi_Control) and invisible characters. Direction controls rearrange the text and
 * figures beside it; right-to-left scripts do not need them. Invisible characters make two texts look alike.
 * @returns the broken rule; undefined if the text has no such character.
 */
export function hiddenCharacterFault(text: string): string | undefined {
  const [mark] = /\p{Bidi_Control}/u.exec(text) ?? [];
  if (mark !== undefined)
    return `must hold no marks that turn the direction of text: remove ${codePointOf(mark)}`;
  const [hidden] = invisible.exec(text.replaceAll(composed, "")) ?? [];
  return hidden && `must hold no invisible characters: remove ${codePointOf(hidden)}`;
}

/** Returns the code point in Unicode's notation, for example U+200B. */
function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Reads a name or another text that people compare by sight: a line without hidden characters. */
export function parseName(text: string, limit: number): Parsed<string> {
  const line = parseLine(text, limit);
  const fault = line.ok ? hiddenCharacterFault(line.value) : undefined;
  return fault === undefined ? line : unparsable(fault);
}

/** Converts a provider's text to a valid line. @param otherwise the line for a text without visible characters. */
export function asLine(text: string, limit: number, otherwise: string): string {
  // Truncates first, so that a long text costs no more than a short one.
  const shown = firstCharacters(text, limit)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ");
  const line = shown.trim();
  return line === "" ? otherwise : line;
}
