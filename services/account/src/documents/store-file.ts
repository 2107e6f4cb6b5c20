import { TemporarilyUnavailableError } from "@hostledger/core";
import { type DocumentArchive, type DocumentFileName, fileNameOf } from "@hostledger/store/documents";
import { openFile, sealFile } from "@hostledger/store/personal-data";

interface Sealing {
  readonly content: Uint8Array;
  readonly key: Uint8Array;
  readonly subject: string;
}

/** Stores a file unless the archive has a whole one. @returns the content that is stored now */
export async function storeFile(
  archive: DocumentArchive,
  name: DocumentFileName,
  { content, key, subject }: Sealing,
): Promise<Uint8Array> {
  const field = fileNameOf(name);
  const sealed = sealFile(content, key, { subject, field });
  let stored = await archive.put(name, sealed);
  if (!("content" in openFile(stored, key, field))) {
    await archive.remove(name, stored);
    stored = await archive.put(name, sealed);
  }
  const opened = openFile(stored, key, field);
  if ("content" in opened) return opened.content;
  throw new TemporarilyUnavailableError(`${field} was stored and does not open`);
}
