import {
  type Checkpoint,
  NoteError,
  type NoteVerifier,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
} from "../log/index.ts";
import { BundleError } from "./log-source.ts";

/** Parses verifier keys. @throws BundleError for a malformed key */
export function readVerifiers(keys: readonly string[]): readonly NoteVerifier[] {
  return keys.map((key) => {
    try {
      return parseVerifierKey(key.trim());
    } catch (error) {
      throw new BundleError(`"${key.trim().slice(0, 100)}" is no verifier key.`, { cause: error });
    }
  });
}

/** Opens a signed checkpoint. @param what name in errors @throws BundleError if not verified or malformed */
export function openCheckpoint(what: string, note: string, verifiers: readonly NoteVerifier[]): Checkpoint {
  try {
    return parseCheckpoint(openNote(note, verifiers).text);
  } catch (error) {
    if (error instanceof NoteError)
      throw new BundleError(`${what} is not signed with a key that verifies it: ${error.message}`, {
        cause: error,
      });
    throw new BundleError(
      `${what} cannot be read: ${error instanceof Error ? error.message : "it is no checkpoint"}`,
      {
        cause: error,
      },
    );
  }
}
