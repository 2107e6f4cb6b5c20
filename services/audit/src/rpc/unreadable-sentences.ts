import { mendedEvents } from "@hostledger/event-store";
import type { UnreadableFact } from "@hostledger/reports";

import type { AuditDependencies } from "../dependencies.ts";

/** Says what a report goes on without, and whether the staff had it passed over. */
export async function unreadableSentences(
  { rawStore }: { readonly rawStore: Pick<AuditDependencies["rawStore"], "read"> },
  unreadable: readonly UnreadableFact[],
): Promise<string[]> {
  const sentences: string[] = [];
  for (const { stream, id, sentence } of unreadable) {
    const mended = (await mendedEvents(rawStore, stream)).find(({ eventId }) => eventId === id);
    sentences.push(
      mended === undefined ? sentence : `${sentence}; the staff had it passed over: ${mended.reason}`,
    );
  }
  return sentences;
}
