import type { Position } from "@hostledger/event-store";

/** Stands for "no event yet" where positions are compared and kept. It is never sent to the store. */
export const beforeFirst: Position = -1n;

/** Where to subscribe so that the next event is the first one after `position`. */
export function subscriptionStart(position: Position): Position | "start" {
  return position === beforeFirst ? "start" : position;
}

/** The earliest position of some that have come so far, or `otherwise` when there are none. */
export function earliestOf(
  places: Iterable<{ readonly position: Position | undefined }>,
  otherwise: Position,
): Position {
  let result: Position | undefined;
  for (const { position = beforeFirst } of places)
    if (result === undefined || position < result) result = position;
  return result ?? otherwise;
}

/** The latest of some positions. */
export function latest(positions: Iterable<Position>): Position {
  let result = beforeFirst;
  for (const position of positions) if (position > result) result = position;
  return result;
}
