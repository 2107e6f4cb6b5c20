import { hashBytes } from "./hash.ts";
import { decodeBase64, NoteError } from "./note-key.ts";

/** A checkpoint of a log (C2SP tlog-checkpoint). */
export interface Checkpoint {
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  readonly root: Uint8Array;
}

/** Formats a checkpoint for `signNote`. @throws NoteError if a value is invalid */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  if (origin === "" || origin.includes("\n"))
    throw new NoteError("malformed", "A log's name is one line of text.");
  if (!Number.isSafeInteger(size) || size < 0)
    throw new NoteError("malformed", "A checkpoint's size is a whole number, 0 or more.");
  if (root.length !== hashBytes) throw new NoteError("malformed", "A checkpoint's root has 32 bytes.");
  return `${origin}\n${String(size)}\n${Buffer.from(root).toString("base64")}\n`;
}

/** Parses the text of an opened note; skips extension lines. @throws NoteError if the text is no checkpoint */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin, size, root, ...rest] = text.split("\n");
  const extensions = rest.slice(0, -1);
  const bytes = decodeBase64(root ?? "");
  if (
    origin === undefined ||
    origin === "" ||
    !/^(?:0|[1-9]\d*)$/u.test(size ?? "") ||
    !Number.isSafeInteger(Number(size)) ||
    bytes?.length !== hashBytes ||
    rest.at(-1) !== "" ||
    extensions.includes("")
  )
    throw new NoteError(
      "malformed",
      "The text is no checkpoint: a log's name, its size and its root are missing.",
    );
  return { origin, size: Number(size), root: bytes };
}
