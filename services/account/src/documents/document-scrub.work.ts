import { type AnyWorkKind, workKind } from "@hostledger/work";
import type { Logger } from "@hostledger/runtime";

import type { AccountQueries } from "../reads/account.queries.ts";
import type { DocumentFiles } from "./document-files.port.ts";

/** Documents compared in one step. */
const documentsInStep = 50;
/** Pause between steps, in milliseconds, so that requests come first. */
const stepPauseMs = 1_000;
/** Pause after a start, and between rounds, in milliseconds. */
const firstPauseMs = 60_000;
const roundPauseMs = 86_400_000;

export interface DocumentScrubOptions {
  readonly files: Pick<DocumentFiles, "problemOf">;
  readonly queries: Pick<AccountQueries, "archivedAfter">;
  readonly logger: Pick<Logger, "info">;
}

/** Creates the work that compares all archived files with their events once a day; a difference opens a ticket. */
export function documentScrubWork({ files, queries, logger }: DocumentScrubOptions): AnyWorkKind {
  let afterId = 0;
  let damaged = 0;
  return workKind<object, { readonly type: "compare" }>({
    name: "document-scrub",
    begins: { keys: ["all"], afterMs: firstPauseMs },
    load: () => Promise.resolve({}),
    next: () => ({ do: { type: "compare" } }),
    effects: {
      compare: {
        retry: { firstMs: 60_000, longestMs: 3_600_000 },
        async carryOut(_effect, _state, signal) {
          const ids = await queries.archivedAfter(afterId, documentsInStep);
          for (const id of ids) {
            if (signal.aborted) break;
            if ((await files.problemOf(id)) !== undefined) damaged += 1;
            afterId = id;
          }
          if (ids.length > 0) return { outcome: "done", step: "compared", againAfterMs: stepPauseMs };
          logger.info({ damaged }, "compared the archived documents with their events");
          [afterId, damaged] = [0, 0];
          return { outcome: "done", step: "round", againAfterMs: roundPauseMs };
        },
      },
    },
  });
}
