import { EntryError, maximumBundledBytes } from "./entry.ts";

/**
 * Reads an entry bundle (C2SP tlog-tiles): entries after their length as a big-endian u16.
 *
 * @returns views into the bundle, not copies.
 * @throws EntryError if the bundle ends inside an entry
 */
export function parseEntryBundle(bundle: Uint8Array): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const [high, low] = [bundle[at], bundle[at + 1]];
    const end = at + 2 + (high ?? 0) * 256 + (low ?? 0);
    if (low === undefined || end > bundle.length)
      throw new EntryError(`The entry bundle ends in the middle of its entry ${String(entries.length)}.`);
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

/** Writes an entry bundle. @throws EntryError for an entry over 65,535 bytes, whose digest form belongs in the bundle */
export function formatEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = Buffer.allocUnsafe(entries.reduce((bytes, { length }) => bytes + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > maximumBundledBytes)
      throw new EntryError("An entry of a bundle has at most 65,535 bytes.");
    at = bundle.writeUInt16BE(entry.length, at);
    bundle.set(entry, at);
    at += entry.length;
  }
  return bundle;
}
