import { bundledEntry, encodeEntry, EntryError, leafHash, type LogEvent } from "../../log/index.ts";

/** An event for a bundle, marked if the store differs from the log. */
export interface BundledEvent extends LogEvent {
  /** Clause on the damage; empty or undefined if intact. A missing event has no stream. */
  readonly damage?: string;
  /** Hash in the log, present if damaged. */
  readonly leafHash?: Uint8Array;
}

export function damageOf({ damage }: BundledEvent): string | undefined {
  return damage === "" ? undefined : damage;
}

/** An event's entry in the bundle with its leaf hash. */
export interface BundledLeaf {
  /** Complete entry, even if the bundle contains only its digest. */
  readonly full: Uint8Array;
  readonly bundled: Uint8Array;
  readonly hash: Uint8Array;
}

/** Computes an event's leaf. A damaged event gets the log's hash, so that verification reports this event. */
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

/** Returns the bytes of a damaged event; empty if missing or not encodable. */
function bytesOf(event: BundledEvent): Uint8Array {
  if (event.stream === "") return new Uint8Array();
  try {
    return encodeEntry(event);
  } catch (error) {
    if (error instanceof EntryError) return new Uint8Array();
    throw error;
  }
}
