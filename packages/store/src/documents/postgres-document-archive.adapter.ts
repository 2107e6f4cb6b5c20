import { TemporarilyUnavailableError } from "@hostledger/core";
import {
  cannotBeAsked,
  findsNoTable,
  postgresSentence,
  PostgresSessions,
  shownAddress,
} from "@hostledger/runtime/postgres";

import type { DocumentArchive, DocumentFileName } from "./document-archive.port.ts";

/** A separate schema, because read models can be dropped and rebuilt, but documents cannot. */
const schema = `
  create schema if not exists hostledger_documents;
  create table if not exists hostledger_documents.files (
    document_id bigint, format text, sealed bytea not null, primary key (document_id, format)
  );
`;

/** Advisory lock for creating the schema; all processes must use this arbitrary number. */
const schemaLock = 7_203_114_467;

const connections = 2;

interface FileRow {
  readonly sealed: Uint8Array;
}

/** Opens the archive in PostgreSQL, which replicas share. @throws Error with a sentence if PostgreSQL cannot be reached or used. */
export async function openPostgresDocuments({ url }: { readonly url: string }): Promise<DocumentArchive> {
  const sessions = new PostgresSessions(
    {
      connectionString: url,
      application_name: "hostledger-documents",
      connectionTimeoutMillis: 3_000,
      query_timeout: 10_000,
    },
    connections,
  );
  try {
    await sessions.query({
      text: `begin; select pg_advisory_xact_lock(${String(schemaLock)}); ${schema} commit;`,
    });
  } catch (error) {
    await sessions.close();
    throw new Error(
      `The archive of documents in PostgreSQL at ${shownAddress(url)}: ${postgresSentence(error)}.`,
      { cause: error },
    );
  }
  return archiveOn(sessions);
}

function archiveOn(sessions: PostgresSessions): DocumentArchive {
  const get = async (name: DocumentFileName): Promise<Uint8Array | undefined> => {
    const [row] = await query(
      sessions,
      "select sealed from hostledger_documents.files where document_id = $1 and format = $2",
      [name.documentId, name.format],
    );
    return row?.sealed;
  };
  return {
    get,
    async put(name, sealed) {
      const [made] = await query(
        sessions,
        "insert into hostledger_documents.files values ($1, $2, $3) on conflict do nothing returning sealed",
        [name.documentId, name.format, sealed],
      );
      return made?.sealed ?? (await get(name)) ?? removedMeanwhile();
    },
    async remove({ documentId, format }, sealed) {
      await query(
        sessions,
        "delete from hostledger_documents.files where document_id = $1 and format = $2 and sealed = $3",
        [documentId, format, sealed],
      );
    },
    close: () => sessions.close(),
  };
}

/** Another process had stored damaged bytes and removes them: the next attempt finds neither. */
function removedMeanwhile(): never {
  throw new TemporarilyUnavailableError("another process replaces this file of the archive of documents");
}

/** @throws TemporarilyUnavailableError if PostgreSQL is unreachable, or its table is missing and must be restored. */
async function query(
  sessions: PostgresSessions,
  text: string,
  values: readonly unknown[],
): Promise<readonly FileRow[]> {
  try {
    return (await sessions.query<FileRow>({ text, values: [...values] })).rows;
  } catch (error) {
    if (!cannotBeAsked(error) && !findsNoTable(error)) throw error;
    throw new TemporarilyUnavailableError("the archive of documents cannot be read from PostgreSQL now", {
      cause: error,
    });
  }
}
