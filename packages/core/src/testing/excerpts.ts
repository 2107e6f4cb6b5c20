import { codecOfCategory, type CategoryCodec } from "../own-categories.ts";

/**
 * Reads the events of a category as `codecOfCategory` does, for specs whose streams hold only the events that the spec is about. Real
 * streams hold all of them, and an event that contradicts the others stops its stream.
 */
export function codecOfExcerpts(category: string): CategoryCodec | undefined {
  const codec = codecOfCategory(category);
  return codec && { knows: codec.knows, decode: codec.decode };
}
