import { counted } from "@hostledger/core";
import { NoteError, openNote, parseBundleNote, type Checkpoint, type NoteVerifier } from "../log/index.ts";
import type { Findings } from "./findings.ts";
import type { LogSource, Seal } from "./log-source.ts";

/** Compares every file of a bundle with its manifest, and the manifest with the signed note. */
export async function judgeSeal(
  { seal }: LogSource,
  { origin, size }: Checkpoint,
  verifiers: readonly NoteVerifier[],
  findings: Findings,
): Promise<void> {
  if (seal === undefined) return;
  const problem = problemOf(seal, { origin, size, verifiers });
  if (problem !== undefined) findings.whole("signature", problem);
  for await (const wrong of seal.wrongFiles()) findings.whole("files", wrong);
}

function problemOf(
  { manifestHash, note, isListed }: Seal,
  log: { readonly origin: string; readonly size: number; readonly verifiers: readonly NoteVerifier[] },
): string | undefined {
  // A note beside a manifest of version 1 means that the file list was removed.
  if (note === undefined)
    return isListed ? "manifest.note is missing: nobody signed manifest.json" : undefined;
  try {
    const signed = parseBundleNote(openNote(note, log.verifiers).text);
    if (signed.origin !== log.origin || signed.size !== log.size)
      return `manifest.note is about ${counted(signed.size, "event")} of ${signed.origin}`;
    return Buffer.compare(signed.manifestHash, manifestHash) === 0
      ? undefined
      : "manifest.json is not the one that manifest.note signs: it was changed";
  } catch (error) {
    if (error instanceof NoteError)
      return `manifest.note is not signed with a key that verifies it: ${error.message.replace(/\.$/u, "")}`;
    throw error;
  }
}
