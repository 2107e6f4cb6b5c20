import { placeOf } from "@hostledger/core";
import type { EventStore, RecordedEvent } from "@hostledger/store";
import { monotonicMilliseconds, realTiming } from "@hostledger/runtime";
import { tileWidth } from "@hostledger/audit/log";

import type { Follower } from "./follower.ts";
import { hasHash, leafOf, notRecorded } from "./leaf.ts";
import { AuditLogError, type LogContradictionError, NotYetLoggedError } from "./log-error.ts";
import type { PositionsMender } from "./positions-mender.ts";
import { bundlesOf } from "./positions.ts";
import type { PublisherParts } from "./publisher.ts";

/** Maximum wait for the log to reach an event of the store, in milliseconds. */
const reachWaitMs = 5_000;
const reachPauseMs = 5;

export interface LeafReaderOptions {
  readonly store: EventStore;
  readonly parts: Pick<PublisherParts, "tiles" | "positions">;
  readonly follower: Pick<Follower, "position">;
  /** Rebuilds the positions if those of a bundle are wrong. True if a second look may succeed. */
  readonly mend: PositionsMender["mend"];
  /** Aborted when the log closes. */
  readonly closing: AbortSignal;
  /** Returns the reason why the log stopped; undefined while it runs. */
  readonly stopped: () => AuditLogError | undefined;
  /** Called if the store contradicts the log. */
  readonly onContradiction: (error: LogContradictionError) => void;
}

export interface LeafFinder {
  readonly indexOf: (recorded: RecordedEvent) => Promise<number>;
  /** Compares an event with its leaf. @throws AuditLogError if it differs from the recorded event */
  readonly confirm: (recorded: RecordedEvent) => Promise<void>;
}

/**
 * Finds a leaf by the position of its event. If that fails, it first checks the positions before it reports the event.
 * @param readTile reads the first events of a tile, compared with their hashes
 */
export function createLeafFinder(
  options: LeafReaderOptions,
  readTile: (index: number, count: number) => Promise<readonly RecordedEvent[]>,
): LeafFinder {
  const { positions, tiles } = options.parts;

  async function tileOf({ position }: RecordedEvent): Promise<number> {
    try {
      return await positions.bundleOf(position, bundlesOf(tiles.size));
    } catch (error) {
      if (!(error instanceof AuditLogError) || !(await options.mend())) throw error;
      return positions.bundleOf(position, bundlesOf(tiles.size));
    }
  }

  const widthOf = (index: number): number => Math.min(tileWidth, tiles.size - index * tileWidth);

  /** True if an event's leaf is in its tile. Reads only hashes. */
  async function isInItsTile(recorded: RecordedEvent): Promise<boolean> {
    if (tiles.size === 0) return false;
    const index = await tileOf(recorded);
    return hasHash(await tiles.read(0, index, widthOf(index)), leafOf(recorded));
  }

  /** Returns the index of an event's leaf if its tile has it. */
  async function placeIn(recorded: RecordedEvent): Promise<number | undefined> {
    const index = await tileOf(recorded);
    const place = (await readTile(index, widthOf(index))).findIndex(
      ({ position, id }) => position === recorded.position && id === recorded.id,
    );
    return place < 0 ? undefined : index * tileWidth + place;
  }

  const mendTileOf = async (recorded: RecordedEvent): Promise<boolean> =>
    options.mend(await tileOf(recorded));

  return {
    async confirm(recorded) {
      if (await isInItsTile(recorded)) return;
      await reach(options, recorded);
      if (await isInItsTile(recorded)) return;
      if ((await mendTileOf(recorded)) && (await isInItsTile(recorded))) return;
      throw notRecorded(recorded);
    },
    async indexOf(recorded) {
      await reach(options, recorded);
      const index = await placeIn(recorded);
      if (index !== undefined) return index;
      const again = (await mendTileOf(recorded)) ? await placeIn(recorded) : undefined;
      if (again === undefined) throw new AuditLogError(absenceOf(recorded));
      return again;
    },
  };
}

function absenceOf({ id }: RecordedEvent): string {
  return `The audit log does not have the event ${id} yet.`;
}

/** Waits until the log reaches an event. @throws AuditLogError it has stopped, or takes too long */
async function reach(
  { follower, closing, stopped }: Pick<LeafReaderOptions, "follower" | "closing" | "stopped">,
  recorded: RecordedEvent,
): Promise<void> {
  const until = monotonicMilliseconds() + reachWaitMs;
  const isAhead = (): boolean => follower.position === "start" || follower.position < recorded.position;
  while (isAhead() && monotonicMilliseconds() < until && !closing.aborted) {
    const fault = stopped();
    if (fault !== undefined)
      throw new AuditLogError(`The event ${placeOf(recorded)} is not in the audit log. ${fault.message}`);
    await realTiming.sleep(reachPauseMs);
  }
  if (isAhead()) throw new NotYetLoggedError(absenceOf(recorded));
}
