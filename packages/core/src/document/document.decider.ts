import { accept, CorruptStreamError, type Command, type Decider } from "../kernel/decider.ts";
import type { DocumentEvent } from "./document.events.ts";

/** Data of `DocumentArchived`, without its time. */
export type ArchivedDocument = Omit<DocumentEvent["data"], "archivedAt">;

/** Records the files of a document. `at` is ISO 8601 UTC with six fractional digits. */
export type ArchiveDocument = Command<"ArchiveDocument", ArchivedDocument & { readonly at: string }>;

export interface DocumentState {
  /** Undefined until the files are archived. */
  readonly archived: ArchivedDocument | undefined;
}

/** Rules of a document's files: they are archived once, whoever renders them again. */
export const document: Decider<ArchiveDocument, DocumentState, DocumentEvent> = {
  initialState: { archived: undefined },
  decide({ data: { at, ...files } }, { archived }) {
    if (archived !== undefined) return accept();
    return accept({ type: "DocumentArchived", data: { ...files, archivedAt: at } });
  },
  evolve({ archived }, { type, data: { archivedAt: _archivedAt, ...files } }) {
    if (archived !== undefined) throw new CorruptStreamError(type, "an archived document");
    return { archived: files };
  },
};
