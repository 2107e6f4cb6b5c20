/** The archive of documents: their files as sealed bytes, in a directory or in PostgreSQL. */

export {
  documentFormats,
  fileNameOf,
  type DocumentArchive,
  type DocumentFileName,
  type DocumentFormat,
} from "./document-archive.port.ts";
export {
  documentPath,
  listDocuments,
  openFileDocuments,
  type StoredDocument,
} from "./file-document-archive.adapter.ts";
export { openPostgresDocuments } from "./postgres-document-archive.adapter.ts";
