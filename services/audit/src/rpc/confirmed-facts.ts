import type { RecordedEvent } from "@hostledger/event-store";

import type { AuditDependencies } from "../dependencies.ts";
import { lackingRevision } from "../log/leaf.ts";

/**
 * The facts of a stream with their personal data readable, each compared with its leaf of the log: what is told of them is
 * told of what was recorded. The leaf is made of what the store holds, so both forms are read side by side.
 * @throws AuditFaultError names the first fact that is missing or another one
 */
export async function* confirmedFacts(
  { store, rawStore, log }: Pick<AuditDependencies, "store" | "rawStore" | "log">,
  stream: string,
): AsyncGenerator<RecordedEvent> {
  const asStored = rawStore.read(stream)[Symbol.asyncIterator]();
  try {
    let revision = 0n;
    for await (const fact of store.read(stream)) {
      const stored = await asStored.next();
      if (fact.revision !== revision || stored.done === true) throw lackingRevision(stream, revision);
      await log.confirm(stored.value);
      yield fact;
      revision += 1n;
    }
    // Facts that were deleted from the end of the stream leave no gap: while the log has stopped, nothing is vouched for.
    if (log.fault !== undefined) throw log.fault;
  } finally {
    await asStored.return?.();
  }
}
