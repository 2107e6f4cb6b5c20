import { codecOfCategory, type CategoryCodec } from "../own-categories.ts";

/** Returns the category's codec without its fold, for specs whose streams contain only some events. */
export function codecOfExcerpts(category: string): CategoryCodec | undefined {
  const codec = codecOfCategory(category);
  return codec && { knows: codec.knows, decode: codec.decode };
}
