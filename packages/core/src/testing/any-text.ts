import fc from "fast-check";

/** The halves of a pair, which are no characters of their own (Unicode 16.0, D71 to D76). */
const surrogates = { first: 0xd800, count: 0x800 };
const characters = 0x11_0000 - surrogates.count;

/**
 * Any text: what `fc.string({ unit: "binary" })` draws, as often, without its map of a million characters to their numbers, of
 * which each process would spend a second on the first.
 */
export function anyText(constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}

const anyCharacter = fc
  .nat(characters - 1)
  .map((place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count), placeOf);

/** The other way, by which fast-check knows which of the texts that it likes to try can be drawn. @throws Error no character */
function placeOf(text: unknown): number {
  const code = typeof text === "string" ? text.codePointAt(0) : undefined;
  if (code === undefined || text !== String.fromCodePoint(code)) throw new Error("this is no character");
  return code < surrogates.first ? code : code - surrogates.count;
}
