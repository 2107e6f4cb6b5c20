import { codecOfCategory, type CategoryCodec } from "../own-categories.ts";

/**
 * Returns the category's codec without its fold, for specs whose streams contain only some of the real events. The fold
 * would refuse an event that contradicts the others.
 */
export function codecOfExcerpts(category: string): CategoryCodec | undefined {
  const codec = codecOfCategory(category);
  return codec && { knows: codec.knows, decode: codec.decode };
}
