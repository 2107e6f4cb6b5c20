import { type AnyWorkKind, workKind } from "@hostledger/work";
import { Semaphore } from "@hostledger/runtime/async";

import { archiveKind } from "../reads/account.tables.ts";
import type { DocumentFiles } from "./document-files.port.ts";

/** A full or missing archive is tried again after pauses of up to ten minutes. */
const retry = { firstMs: 1_000, longestMs: 600_000 };

/** Creates the work that archives documents in the background, one at a time; accounts take turns. */
export function archiveWork(files: Pick<DocumentFiles, "archived">): AnyWorkKind {
  const turn = new Semaphore({ permits: 1 });
  return workKind<string, { readonly type: "archive" }>({
    name: archiveKind,
    load: (key) => Promise.resolve(key),
    next: () => ({ do: { type: "archive" } }),
    effects: {
      archive: {
        retry,
        async carryOut(_effect, key) {
          await turn.run(() => files.archived(Number(key)));
          // The event of the archive ends the work; this pause covers a read model that is behind.
          return { outcome: "done", step: "archived", againAfterMs: 60_000 };
        },
      },
    },
  });
}
