import fc from "fast-check";

/** Surrogates, which are not characters (Unicode 16.0, D71 to D76). */
const surrogates = { first: 0xd800, count: 0x800 };
const characters = 0x11_0000 - surrogates.count;

/** Returns any text like `fc.string({ unit: "binary" })`, whose table of characters takes a second in each process. */
export function anyText(constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}

const anyCharacter = fc
  .nat(characters - 1)
  .map((place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count), placeOf);

/** Inverts `anyCharacter`, which fast-check needs. @throws Error if the value is not a single character. */
function placeOf(text: unknown): number {
  const code = typeof text === "string" ? text.codePointAt(0) : undefined;
  if (code === undefined || text !== String.fromCodePoint(code)) throw new Error("this is no character");
  return code < surrogates.first ? code : code - surrogates.count;
}
