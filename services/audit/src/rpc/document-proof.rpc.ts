import type { ServiceImpl } from "@connectrpc/connect";
import { documentCodec, rejection } from "@hostledger/core";
import type { audit } from "@hostledger/protocol";
import { noSuch, rejectionError, requestedId, requireAccount } from "@hostledger/rpc";
import { encodeEntry, inclusionProof } from "@hostledger/audit/log";
import { decodeEvent, type RecordedEvent } from "@hostledger/store";

import type { AuditDependencies } from "../dependencies.ts";
import { NotYetLoggedError } from "../log/log-error.ts";

/** Creates the handlers of document proofs, for the customer who owns the document. */
export function documentProofRpc(
  dependencies: Pick<AuditDependencies, "log" | "rawStore">,
): ServiceImpl<typeof audit.DocumentProofService> {
  const { log } = dependencies;
  return {
    async getDocumentProof(request, context) {
      const { accountId } = requireAccount(context);
      const recorded = await archivedEvent(dependencies, requestedId("invoice", request.invoiceId));
      if (decodeEvent(documentCodec, recorded)?.event.data.accountId !== accountId)
        throw rejectionError(rejection("unauthorized"));
      const index = await indexOf(dependencies, recorded);
      const { note, size } = log.checkpoint();
      if (index >= size) throw pending();
      const [event] = await log.entries(index, 1);
      if (event === undefined) throw new Error(`the log has no event ${String(index)}`);
      return {
        entry: encodeEntry(event),
        index: BigInt(index),
        hashes: [...(await inclusionProof(index, size, log.readTile))],
        checkpoint: note,
        verifierKeys: [...log.verifierKeys()],
      };
    },
  };
}

/** Returns the event that names a document's files. @throws ConnectError `not-found` if the document is unknown or not archived */
async function archivedEvent(
  { rawStore }: Pick<AuditDependencies, "rawStore">,
  documentId: number,
): Promise<RecordedEvent> {
  for await (const recorded of rawStore.read(`document-${String(documentId)}`, { limit: 1 })) return recorded;
  throw noSuch("invoice");
}

/** @throws ConnectError `proof-pending` if the log has not read the event yet */
async function indexOf({ log }: Pick<AuditDependencies, "log">, recorded: RecordedEvent): Promise<number> {
  try {
    return await log.indexOf(recorded);
  } catch (error) {
    throw error instanceof NotYetLoggedError ? pending() : error;
  }
}

function pending(): Error {
  return rejectionError(rejection("proof-pending"));
}
