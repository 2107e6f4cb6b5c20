import { createHash } from "node:crypto";

import { documentCodec, UndecodableEventError, type ArchivedDocument } from "@hostledger/core";
import { z } from "zod";

import {
  bundledEntry,
  type Checkpoint,
  decodeEntry,
  EntryError,
  leafHash,
  NoteError,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  verifyInclusion,
} from "../log/index.ts";

/** Maximum bytes of a proof; real proofs have a few thousand. */
export const maximumProofBytes = 1_048_576;

/** A document or its proof is refused. The message is a sentence. */
export class DocumentProofError extends Error {
  override readonly name = "DocumentProofError";
}

/** Result of a verified proof about a file. */
export interface VerifiedDocument {
  readonly documentId: number;
  readonly number: string;
  readonly format: ArchivedDocument["files"][number]["format"];
  /** Leaf of the event in the log. */
  readonly index: number;
  /** Name of the log and the number of its events that the checkpoint signs. */
  readonly origin: string;
  readonly size: number;
  /** Time at which the log's instance archived the document, UTC. */
  readonly archivedAt: string;
  /** True if the document was issued before its seller was frozen in it. */
  readonly isRenderedLater: boolean;
}

const base64 = z.base64().max(maximumProofBytes);

/** The proof as REST answers it. Other members are ignored, so that later versions may add some. */
const proofSchema = z.object({
  format: z.literal("hostledger-document-proof"),
  version: z.literal(1),
  salt: z.string().regex(/^[0-9a-f]{64}$/u),
  entry: base64,
  index: z.int().nonnegative(),
  // A log of 2^53 events has proofs of 53 hashes.
  hashes: z.array(z.base64().length(44)).max(64),
  checkpoint: z.string().max(65_536),
  verifier_keys: z.array(z.string().max(1_000)).min(1).max(100),
});

type Proof = z.output<typeof proofSchema>;

/**
 * Checks offline that a file is one of a document that the audit log names.
 *
 * @param proof JSON text of `GET /billing/invoices/{invoice}/proof`
 * @param trustedKeys verifier keys known from elsewhere; if absent, those of the proof, which show no author
 * @throws DocumentProofError
 */
export function verifyDocument(
  file: Uint8Array,
  proof: string,
  trustedKeys?: readonly string[],
): VerifiedDocument {
  const parsed = parseProof(proof);
  const { origin, size, root } = checkpointOf(parsed, trustedKeys ?? parsed.verifier_keys);
  const entry = Buffer.from(parsed.entry, "base64");
  const claim = {
    index: parsed.index,
    size,
    leafHash: leafHash(bundledEntry(entry)),
    proof: parsed.hashes.map((hash) => Buffer.from(hash, "base64")),
    root,
  };
  if (!verifyInclusion(claim))
    throw new DocumentProofError(
      "The proof does not lead to the signed checkpoint: its event, its index or one of its hashes was changed.",
    );
  const event = archivedOf(entry);
  const hash = createHash("sha256").update(Buffer.from(parsed.salt, "hex")).update(file).digest("hex");
  const found = event.files.find(({ bytes, sha256 }) => bytes === file.length && sha256 === hash);
  if (found === undefined)
    throw new DocumentProofError(
      `The file is none of those of document ${event.number}: the file or the proof's salt was changed, or the proof is of another document.`,
    );
  const { documentId, number, archivedAt, isRenderedLater } = event;
  const { format } = found;
  return { documentId, number, format, index: parsed.index, origin, size, archivedAt, isRenderedLater };
}

function parseProof(text: string): Proof {
  if (text.length > maximumProofBytes)
    throw new DocumentProofError("The proof is larger than 1 MiB, which no proof of a document is.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DocumentProofError(
      "The proof is not JSON: store the answer of GET /billing/invoices/{id}/proof unchanged.",
    );
  }
  const read = proofSchema.safeParse(value);
  if (read.success) return read.data;
  const fields = [...new Set(read.error.issues.map(({ path }) => String(path[0] ?? "the whole text")))];
  throw new DocumentProofError(
    `The proof is no proof of a document in version 1: ${fields.join(", ")} is missing or has another form.`,
  );
}

function checkpointOf({ checkpoint }: Proof, keys: readonly string[]): Checkpoint {
  try {
    return parseCheckpoint(openNote(checkpoint, keys.map(parseVerifierKey)).text);
  } catch (error) {
    if (error instanceof NoteError)
      throw new DocumentProofError(`The proof's checkpoint is refused. ${error.message}`, { cause: error });
    throw error;
  }
}

/** Reads the event that names a document's files. */
function archivedOf(entry: Uint8Array): ArchivedDocument & { readonly archivedAt: string } {
  try {
    const { stream, revision, type, data } = decodeEntry(entry);
    const event = documentCodec.knows(type) ? documentCodec.decode(type, data) : undefined;
    if (event === undefined || stream !== `document-${String(event.data.documentId)}` || revision !== 0n)
      throw new DocumentProofError(
        `The proof is of the event ${stream}@${String(revision)} (${type}), which archives no document.`,
      );
    return event.data;
  } catch (error) {
    if (error instanceof EntryError || error instanceof UndecodableEventError)
      throw new DocumentProofError(`The proof's event cannot be read. ${error.message}`, { cause: error });
    throw error;
  }
}
