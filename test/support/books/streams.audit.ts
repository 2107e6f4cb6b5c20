import type { Event, Report } from "./books-event.ts";

/** The log itself: positions ascend, every stream counts 0, 1, 2 …, and no event is there twice. */
export function auditStreams(events: readonly Event[], report: Report): void {
  const lengths = new Map<string, number>();
  const ids = new Set<string>();
  let lastPosition = 0;
  for (const { stream, revision, position, id, type } of events) {
    const length = lengths.get(stream) ?? 0;
    if (revision !== length) {
      report(
        `${stream} has revision ${String(revision)} (${type}) where ${String(length)} would be the next`,
      );
    }
    if (position <= lastPosition) report(`position ${String(position)} follows ${String(lastPosition)}`);
    if (ids.has(id)) report(`the event ${id} (${type} of ${stream}) is stored twice`);
    ids.add(id);
    lengths.set(stream, revision + 1);
    lastPosition = position;
  }
}
