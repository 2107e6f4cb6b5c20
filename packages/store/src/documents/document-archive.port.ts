/** File formats of documents. */
export const documentFormats = ["pdf", "xml"] as const;

export type DocumentFormat = (typeof documentFormats)[number];

export interface DocumentFileName {
  /** Id of an invoice, receipt, correction or cancellation. */
  readonly documentId: number;
  readonly format: DocumentFormat;
}

/**
 * Keeps the files of documents, which are too large for events. The archive sees sealed bytes only. Stored bytes survive a power cut.
 * Operations throw `TemporarilyUnavailableError` if the archive cannot be read or written.
 */
export interface DocumentArchive {
  /**
   * Stores a file unless the archive has one of that name: stored bytes are never overwritten.
   * @returns the bytes that the archive has now, which are another process's if that one was first.
   */
  put(name: DocumentFileName, sealed: Uint8Array): Promise<Uint8Array>;
  /** Returns the stored bytes; undefined if there is no such file. */
  get(name: DocumentFileName): Promise<Uint8Array | undefined>;
  /** Removes a file if its bytes are these: another process may have replaced them already. */
  remove(name: DocumentFileName, sealed: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Returns a file's name for people and for sealing, for example `document-42.pdf`. */
export function fileNameOf({ documentId, format }: DocumentFileName): string {
  return `document-${String(documentId)}.${format}`;
}
