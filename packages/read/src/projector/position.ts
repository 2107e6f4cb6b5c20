import type { EventStore, Position } from "@hostledger/store";

/**
 * Events that a reader wants to see: up to the position of its own change (undefined if nothing was written), up to the
 * last event of a stream that someone else may just have changed, or all stored before the call. If other processes append
 * too, the log's last event often concerns no read model, so `"end"` does not wait then.
 */
export type Place = Position | undefined | { readonly stream: string } | "end";

/** Position before the first event. It is never sent to the store. */
export const beforeFirst: Position = -1n;

/** Returns the start of a subscription whose first event comes after `position`. */
export function subscriptionStart(position: Position): Position | "start" {
  return position === beforeFirst ? "start" : position;
}

/** Returns the earliest of the known positions, or `otherwise` if there are none. */
export function earliestOf(
  places: Iterable<{ readonly position: Position | undefined }>,
  otherwise: Position,
): Position {
  let result: Position | undefined;
  for (const { position = beforeFirst } of places)
    if (result === undefined || position < result) result = position;
  return result ?? otherwise;
}

export function latest(positions: Iterable<Position>): Position {
  let result = beforeFirst;
  for (const position of positions) if (position > result) result = position;
  return result;
}

/** Returns the position of a place in the log; undefined if there is nothing to wait for. @throws any error of the store. */
export async function positionOf(store: EventStore, place: Place): Promise<Position | undefined> {
  if (place === "end") return store.shared === true ? undefined : store.lastPosition();
  if (typeof place !== "object") return place;
  for await (const { position } of store.read(place.stream, { direction: "backwards", limit: 1 }))
    return position;
  return undefined;
}
