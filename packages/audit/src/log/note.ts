import {
  decodeBase64,
  hasControls,
  isKeyName,
  NoteError,
  type NoteSigner,
  type NoteVerifier,
} from "./note-key.ts";

export interface NoteSignature {
  readonly name: string;
  /** 8 hex digits. */
  readonly keyId: string;
  /** The key's id and the signature, as in the line. */
  readonly base64: string;
}

/** A note with at least one signature by a known key. */
export interface OpenedNote {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
  /** Signatures by unknown keys, which are not verified. */
  readonly unverified: readonly NoteSignature[];
}

const maximumNoteBytes = 1_000_000;
const maximumSignatures = 100;
const linePattern = /^— (\S+) (\S+)$/u;

/** Signs a text that ends in a newline (C2SP signed-note). @throws NoteError if the text is invalid */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  if (!text.endsWith("\n") || !text.isWellFormed() || hasControls(text))
    throw new NoteError(
      "malformed",
      "A note is UTF-8 text without control characters that ends in a newline.",
    );
  const message = Buffer.from(text);
  const lines = signers.map((signer) => {
    const signature = Buffer.concat([Buffer.from(signer.keyId, "hex"), signer.sign(message)]);
    return `— ${signer.name} ${signature.toString("base64")}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/**
 * Verifies a note. Ignores signatures by unknown keys; refuses the note for a wrong signature by a known key.
 *
 * @throws NoteError `malformed`, `bad-signature`, or `unknown-key` if no known key signed the note
 */
export function openNote(note: string, verifiers: readonly NoteVerifier[]): OpenedNote {
  const { text, lines } = splitNote(note);
  const message = Buffer.from(text);
  const signatures: NoteSignature[] = [];
  const unverified: NoteSignature[] = [];
  const seen = new Set<string>();
  for (const line of lines) {
    const { signature, bytes } = parseLine(line);
    const known = verifiers.filter(({ name, keyId }) => name === signature.name && keyId === signature.keyId);
    // Skips further signatures by a known key, and repeated lines of unknown keys.
    const key = known.length > 0 ? `${signature.name}+${signature.keyId}` : line;
    if (seen.has(key)) continue;
    seen.add(key);
    if (known.length === 0) unverified.push(signature);
    else if (known.some((verifier) => verifier.verify(message, bytes))) signatures.push(signature);
    else
      throw new NoteError(
        "bad-signature",
        `The signature by ${signature.name}+${signature.keyId} is wrong: the note was changed.`,
      );
  }
  if (signatures.length === 0) throw new NoteError("unknown-key", "No known key has signed the note.");
  return { text, signatures, unverified };
}

function splitNote(note: string): { text: string; lines: readonly string[] } {
  const end = note.lastIndexOf("\n\n");
  if (
    note.length > maximumNoteBytes ||
    !note.isWellFormed() ||
    hasControls(note) ||
    end < 0 ||
    !note.endsWith("\n")
  )
    throw malformed();
  const lines = note.slice(end + 2, -1).split("\n");
  if (note.length === end + 2 || lines.length > maximumSignatures) throw malformed();
  return { text: note.slice(0, end + 1), lines };
}

function parseLine(line: string): { signature: NoteSignature; bytes: Uint8Array } {
  const [, name, base64] = linePattern.exec(line) ?? [];
  if (name === undefined || base64 === undefined || !isKeyName(name)) throw malformed();
  const bytes = decodeBase64(base64);
  if (bytes === undefined || bytes.length < 5) throw malformed();
  return {
    signature: { name, keyId: bytes.subarray(0, 4).toString("hex"), base64 },
    bytes: bytes.subarray(4),
  };
}

function malformed(): NoteError {
  return new NoteError("malformed", "The text is no signed note: a text, an empty line and signature lines.");
}
