import { hashBytes } from "./hash.ts";
import { decodeBase64, NoteError } from "./note-key.ts";

/** A log's note about a bundle: the hash of its manifest, which lists the hashes of all other files. */
export interface BundleNote {
  readonly origin: string;
  /** Number of leaves in the bundle. */
  readonly size: number;
  /** SHA-256 of the bytes of `manifest.json`. */
  readonly manifestHash: Uint8Array;
}

/** Distinguishes the note from a checkpoint, whose second line is a number. */
const firstLine = "hostledger-audit-bundle";

/** Formats a bundle's note for `signNote`. @throws NoteError if a value is invalid */
export function formatBundleNote({ origin, size, manifestHash }: BundleNote): string {
  if (origin === "" || origin.includes("\n"))
    throw new NoteError("malformed", "A log's name is one line of text.");
  if (!Number.isSafeInteger(size) || size < 0)
    throw new NoteError("malformed", "A bundle's size is a whole number, 0 or more.");
  if (manifestHash.length !== hashBytes)
    throw new NoteError("malformed", "The hash of a manifest has 32 bytes.");
  return `${firstLine}\n${origin}\n${String(size)}\n${Buffer.from(manifestHash).toString("base64")}\n`;
}

/** Parses the text of an opened note. @throws NoteError if the text is no bundle's note */
export function parseBundleNote(text: string): BundleNote {
  const [first, origin, size, hash, end, ...rest] = text.split("\n");
  const manifestHash = decodeBase64(hash ?? "");
  if (
    first !== firstLine ||
    origin === undefined ||
    origin === "" ||
    !/^(?:0|[1-9]\d{0,14})$/u.test(size ?? "") ||
    manifestHash?.length !== hashBytes ||
    end !== "" ||
    rest.length > 0
  )
    throw new NoteError("malformed", "The text is no note about a bundle.");
  return { origin, size: Number(size), manifestHash };
}
