import { codecOfCategory } from "@hostledger/core";
import { judgedEvents, type RecordedEvent } from "@hostledger/event-store";
import { openPersonalData } from "@hostledger/personal-data";
import type { Fact } from "@hostledger/reports";
import { yieldToOthers } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";
import { lackingRevision } from "../log/leaf.ts";
import { leftOutClause } from "./left-out.ts";

/** Where facts are read, and what they are compared and opened with. */
interface FactSources extends Pick<AuditDependencies, "subjectKeys" | "codecOf"> {
  readonly rawStore: Pick<AuditDependencies["rawStore"], "read">;
  readonly log: Pick<AuditDependencies["log"], "confirm" | "fault">;
}

/** Facts that are told in a row before others get their turn: some milliseconds. */
const confirmedAtOnce = 64n;

/**
 * The facts of a stream with their personal data readable, each compared with its leaf of the log: what is told of them is
 * told of what was recorded. The leaf is made of what the store holds, so texts are opened after that. One that does not count in its stream
 * says why: reports leave it out.
 * @throws AuditFaultError names the first fact that is missing or another one
 */
export async function* confirmedFacts(
  { rawStore, subjectKeys, log, codecOf = codecOfCategory }: FactSources,
  stream: string,
): AsyncGenerator<RecordedEvent & Pick<Fact, "leftOut">> {
  let revision = 0n;
  for await (const { recorded: fact, leftOut } of judgedEvents(rawStore, stream, codecOf)) {
    if (fact.revision !== revision) throw lackingRevision(stream, revision);
    await log.confirm(fact);
    const opened = await openPersonalData(fact, subjectKeys);
    yield leftOut === undefined ? opened : { ...opened, leftOut: leftOutClause(fact, leftOut) };
    revision += 1n;
    if (revision % confirmedAtOnce === 0n) await yieldToOthers();
  }
  // Facts that were deleted from the end of the stream leave no gap: while the log has stopped, nothing is vouched for.
  if (log.fault !== undefined) throw log.fault;
}
