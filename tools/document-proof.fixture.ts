import { createHash } from "node:crypto";

import { encodeEntry, inclusionProof, leafHash, type LogEvent, type NoteSigner } from "@hostledger/audit/log";

import { signer } from "./bundle-under-test.fixture.ts";
import { checkpointOf, eventAt, opening } from "./verify-bundle.fixture.ts";

/** A document of a made-up log, and its proof. */

/** Bytes of the document. */
export const content = Buffer.from("%PDF-1.7 a document");
const salt = "5a".repeat(32);
const saltedHash = createHash("sha256").update(Buffer.from(salt, "hex")).update(content).digest("hex");
/** The document's data in the event. */
export const archived = {
  documentId: 42,
  accountId: 7,
  number: "2026-7-000001",
  files: [{ format: "pdf", bytes: content.length, sha256: saltedHash }],
  salt: "sealed:v2:retention-7-2034:AAAA",
  keptUntilYear: 2034,
  isRenderedLater: false,
  archivedAt: "2026-11-21T11:03:26.123456Z",
};
/** The event that archives the document. */
export const archivedEvent = (
  data: object = archived,
  stream = "document-42",
  revision = 0,
  type = "DocumentArchived.v1",
) => eventAt(1, stream, revision, type, data);

/** Makes the proof of an event in a log of so many more events. */
export async function proofOf(proven: LogEvent, more = 0, by: NoteSigner = signer): Promise<object> {
  const others = Array.from({ length: more }, (_, at) => eventAt(at + 2, "other", at, "Other.v1", {}));
  const events = [opening, proven, ...others];
  const leaves = Buffer.concat(events.map((each) => leafHash(encodeEntry(each))));
  const readTile = (_level: number, index: number, width: number) =>
    Promise.resolve(leaves.subarray(index * 8_192, index * 8_192 + width * 32));
  const hashes = await inclusionProof(1, events.length, readTile);
  return {
    format: "hostledger-document-proof",
    version: 1,
    salt,
    entry: Buffer.from(encodeEntry(proven)).toString("base64"),
    index: 1,
    hashes: hashes.map((hash) => Buffer.from(hash).toString("base64")),
    checkpoint: checkpointOf(events, [by]),
    verifier_keys: [by.verifierKey],
  };
}
