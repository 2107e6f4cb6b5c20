import type { ArchivedDocument } from "@hostledger/core";
import type { DocumentFormat } from "@hostledger/store/documents";

/** A file as it was archived. */
export interface DocumentContent {
  readonly format: DocumentFormat;
  readonly content: Uint8Array;
}

/** Data of a document's proof that the audit log lacks. */
export interface ProvenDocument {
  /** Stream whose first event names the files. */
  readonly stream: string;
  readonly number: string;
  /** Hexadecimal digits. */
  readonly salt: string;
}

/** The files of documents: archived once, and read from the archive only. */
export interface DocumentFiles {
  /**
   * Returns the archived files of a document; the first call renders and stores them.
   * @throws ConnectError `not-found`
   */
  archived(documentId: number): Promise<ArchivedDocument>;
  /**
   * Reads files from the archive. @param format undefined for all files
   * @throws ConnectError `not-found` for an unknown document and a format that it does not have, `document-damaged`, `overloaded`
   */
  read(documentId: number, format?: DocumentFormat): Promise<readonly DocumentContent[]>;
  /** Returns the stream of a document's event and the salt of its hashes, for a proof. @throws as `read` */
  proven(documentId: number): Promise<ProvenDocument>;
  /** Compares the stored files of a document with its event. @returns a sentence about the first that differs */
  problemOf(documentId: number): Promise<string | undefined>;
  /** Returns the number of files that were damaged when this process last compared them; at most 10,000. */
  damaged(): number;
}
