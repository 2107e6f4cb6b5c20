import { codecOfCategory, placeOf } from "@hostledger/core";
import { judgedEvents, type LeftOut, type RecordedEvent } from "@hostledger/store";
import { openPersonalData } from "@hostledger/store/personal-data";
import type { Event } from "@hostledger/audit/reports";
import { yieldToOthers } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";
import { lackingRevision } from "../log/leaf.ts";

interface EventSources extends Pick<AuditDependencies, "subjectKeys" | "codecOf"> {
  readonly rawStore: Pick<AuditDependencies["rawStore"], "read">;
  readonly log: Pick<AuditDependencies["log"], "confirm" | "fault">;
}

/** Events confirmed before other work gets a turn: some milliseconds. */
const confirmedAtOnce = 64n;

/**
 * Reads a stream with readable personal data and compares each event with its leaf of the log, so that answers describe
 * recorded events. The leaf is computed from the sealed event before it is decrypted. An event that does not count in its
 * stream has a reason, and reports leave it out.
 * @throws AuditFaultError names the first event that is missing or differs
 */
export async function* confirmedEvents(
  { rawStore, subjectKeys, log, codecOf = codecOfCategory }: EventSources,
  stream: string,
): AsyncGenerator<RecordedEvent & Pick<Event, "leftOut">> {
  let revision = 0n;
  for await (const { recorded: event, leftOut } of judgedEvents(rawStore, stream, codecOf)) {
    if (event.revision !== revision) throw lackingRevision(stream, revision);
    await log.confirm(event);
    const opened = await openPersonalData(event, subjectKeys);
    yield leftOut === undefined ? opened : { ...opened, leftOut: leftOutClause(event, leftOut) };
    revision += 1n;
    if (revision % confirmedAtOnce === 0n) await yieldToOthers();
  }
  // Events deleted from the end of the stream leave no gap, so nothing is confirmed while the log has stopped.
  if (log.fault !== undefined) throw log.fault;
}

/** Returns a clause with the reason why an event does not count in its stream. */
export function leftOutClause(
  { revision }: Pick<RecordedEvent, "revision">,
  { error, answer }: LeftOut,
): string {
  if (error.revision !== revision) return `${placeOf(error)} stops its stream before it`;
  return answer === undefined
    ? `${error.reason}; it stops its stream until the staff have it passed over`
    : `${error.reason}; the staff had it passed over: ${answer.reason}`;
}
