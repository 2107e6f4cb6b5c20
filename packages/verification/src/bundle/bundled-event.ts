import { bundledEntry, encodeEntry, EntryError, leafHash, type LogEvent } from "@hostledger/transparency";

/** An event on its way into a bundle, marked where the store does not hold what the log has recorded. */
export interface BundledEvent extends LogEvent {
  /** A clause on what is wrong; empty or undefined where nothing is. One that is missing has no stream. */
  readonly damage?: string;
  /** The hash that the log has, where something is wrong. */
  readonly leafHash?: Uint8Array;
}

/** What is wrong with an event; undefined where nothing is. */
export function damageOf({ damage }: BundledEvent): string | undefined {
  return damage === "" ? undefined : damage;
}

/** What stands in the bundle for an event, and its leaf. */
export interface BundledLeaf {
  /** All of it, also where the bundle has its digest. */
  readonly full: Uint8Array;
  readonly bundled: Uint8Array;
  readonly hash: Uint8Array;
}

/**
 * Makes the leaf of an event. A damaged one keeps the hash that the log has: so the tree is the one that was signed, and
 * whoever verifies the bundle finds that very event and no other.
 */
export function leafOfEvent(event: BundledEvent): BundledLeaf {
  if (damageOf(event) === undefined) {
    const full = encodeEntry(event);
    const bundled = bundledEntry(full);
    return { full, bundled, hash: leafHash(bundled) };
  }
  const full = bytesOf(event);
  const bundled = full.length === 0 ? full : bundledEntry(full);
  return { full, bundled, hash: event.leafHash ?? leafHash(bundled) };
}

/** The bytes of a damaged event; none where it is missing, or has a shape that no entry can have. */
function bytesOf(event: BundledEvent): Uint8Array {
  if (event.stream === "") return new Uint8Array();
  try {
    return encodeEntry(event);
  } catch (error) {
    if (error instanceof EntryError) return new Uint8Array();
    throw error;
  }
}
