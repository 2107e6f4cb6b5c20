import type { DomainEvent } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/store";
import { defined } from "@hostledger/runtime";

import { ReadModelError } from "../errors.ts";
import type { AnyProjection } from "../projection.ts";
import { definitionText, tableNamesIn, type Checkpoint } from "../storage/checkpoints.ts";
import type { StoppedStream } from "../storage/stopped-streams.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { dropTables, type TableSet } from "../storage/table-set.ts";
import { seenEventOf, type LogLineage } from "./lineage.ts";
import { Materialisation, type Parking } from "./materialisation.ts";
import { beforeFirst } from "./position.ts";

export type ProjectionState = "live" | "catching-up" | "rebuilding" | "parked";

/** A projection's health; cheap enough for readiness checks. */
export interface ProjectionHealth {
  readonly name: string;
  readonly state: ProjectionState;
  /** Reason for its parking, with the event. */
  readonly reason?: string;
  /** The last position in its tables; absent before the first. */
  readonly position?: Position;
  /** True while its answers may be outdated: it stopped, catches up or is rebuilt. */
  readonly stale?: true;
  /** True while its tables are built for the first time and cannot be read. */
  readonly unbuilt?: true;
}

/** A projection in its projector: its live tables, or the reason why it has none. */
export class ProjectionSlot<Event extends DomainEvent> {
  readonly projection: AnyProjection<Event>;
  /** Undefined while the tables are of another version, were never built, or belong to another process. */
  live: Materialisation<Event> | undefined;
  /** Checkpoint of the tables in another process. */
  kept: Checkpoint | undefined;
  /** Stopped streams in the tables of another process. */
  keptStopped: readonly StoppedStream[] = [];
  /** Error if a newer version owns the tables in another process, so this version cannot read them. */
  superseded: ReadModelError | undefined;
  rebuilding = false;
  /** Reason why the last build failed. */
  buildFailure: Parking | undefined;
  /** True while tables of another version are used until the new ones are built. */
  hasFormer = false;
  /** The furthest position for which a caller waited in vain. */
  #owed: Position = beforeFirst;

  readonly #definition: string;
  readonly #store: EventStore;

  constructor(projection: AnyProjection<Event>, store: EventStore) {
    this.projection = projection;
    this.#store = store;
    this.#definition = definitionText(projection.tables);
  }

  get name(): string {
    return this.projection.name;
  }

  /** The sentence why it stopped; undefined while it moves. */
  get parkedReason(): string | undefined {
    if (this.kept !== undefined) return this.kept.parked ?? undefined;
    return this.parking?.reason;
  }

  /** Position and reason of its stop in this process; undefined while it moves. */
  get parking(): Parking | undefined {
    return this.live === undefined ? this.buildFailure : this.live.parked;
  }

  get stopped(): readonly StoppedStream[] {
    return this.live?.stopped ?? this.keptStopped;
  }

  /** Position of the tables; undefined if there are none of this version. */
  get position(): Position | undefined {
    if (this.kept !== undefined) return this.#isOfThisVersion(this.kept) ? this.kept.position : undefined;
    return this.live?.position;
  }

  /** True while its tables follow the log: neither parked nor unbuilt. */
  get isMoving(): boolean {
    return this.position !== undefined && this.parkedReason === undefined;
  }

  hasReached(position: Position): boolean {
    return (this.position ?? beforeFirst) >= position;
  }

  /** Notes that a caller waited in vain for this position. */
  owe(position: Position): void {
    if (this.#owed < position) this.#owed = position;
  }

  /** True if this version has no tables that it can read. */
  get isUnbuilt(): boolean {
    if (this.superseded !== undefined) return true;
    return this.live === undefined && this.kept === undefined && !this.hasFormer;
  }

  /** True while its answers may be outdated. */
  isStale(caughtUp: boolean): boolean {
    const { position } = this;
    return !this.isMoving || !caughtUp || position === undefined || position < this.#owed;
  }

  state(caughtUp: boolean): ProjectionState {
    if (this.rebuilding) return "rebuilding";
    if (this.parkedReason !== undefined) return "parked";
    if (this.position === undefined) return "rebuilding";
    return caughtUp ? "live" : "catching-up";
  }

  health(caughtUp: boolean): ProjectionHealth {
    const { name, position } = this;
    const reason = this.parkedReason ?? this.superseded?.message;
    const stale = this.isStale(caughtUp) || undefined;
    const unbuilt = this.isUnbuilt || undefined;
    return { name, state: this.state(caughtUp), ...defined({ reason, position, stale, unbuilt }) };
  }

  /**
   * Finds the tables of an earlier run and takes them over. Tables of another version or shape stay readable and are
   * rebuilt. Tables of another log are dropped, because their rows are wrong: they are ahead of it, or their last event
   * is missing. If the log was restored but has their last event, the tables continue after that event.
   * @throws ReadModelError a newer version of the projection made the tables.
   */
  async open(storage: ProjectionStorage, log: LogLineage): Promise<void> {
    const { name, tables } = this.projection;
    const checkpoint = await storage.checkpoints.load(name);
    this.live = undefined;
    this.kept = undefined;
    this.keptStopped = [];
    this.superseded = undefined;
    this.hasFormer = false;
    this.#owed = beforeFirst;
    const tableSet = storage.tables(tables);
    if (checkpoint === undefined) {
      // No tables before the first build ends, because an empty table would look like an empty list.
      await tableSet.drop();
      return;
    }
    const newer = newerThan(storage, this.projection, checkpoint);
    if (newer !== undefined) throw newer;
    const { last_event: mark } = checkpoint;
    const from = mark === null ? checkpoint.position : await log.positionOf(mark);
    // The tables prove that the store had more events, so the store is checked before they are dropped.
    const lost = from === undefined && mark !== null ? seenEventOf(mark) : undefined;
    if (lost !== undefined) await this.#store.lineage?.suspect(lost);
    const isOfOtherLog = from === undefined || checkpoint.position > (await log.lastPosition());
    if (isOfOtherLog && this.#store.lineage?.isRewound === true) {
      // Answers are marked as outdated until the present copy of the store has its own tables.
      this.hasFormer = true;
    } else if (isOfOtherLog) {
      await dropTables(storage, tableNamesIn(checkpoint.tables));
    } else if (this.#isOfThisVersion(checkpoint)) {
      const stopped = (await storage.stoppedStreams.all()).filter(({ projection }) => projection === name);
      this.live = this.materialise(tableSet, from, stopped);
      this.live.mark = mark;
    } else {
      this.hasFormer = true;
    }
    if (checkpoint.parked !== null) await storage.checkpoints.park(name, null);
  }

  /** Makes the materialisation of the projection in a set of tables at a position. */
  materialise(
    tables: TableSet,
    position: Position,
    stopped: readonly StoppedStream[] = [],
  ): Materialisation<Event> {
    return new Materialisation(this.projection, tables, position, { stopped });
  }

  #isOfThisVersion({ version, tables }: Checkpoint): boolean {
    return version === this.projection.version && tables === this.#definition;
  }

  /** Advances the position that the owner of the tables reported. */
  advance(position: Position | undefined): void {
    if (this.kept !== undefined && position !== undefined && position > this.kept.position)
      this.kept = { ...this.kept, position };
  }

  /** Takes over the state that the owner of the tables stored. */
  follow(
    storage: ProjectionStorage,
    checkpoint: Checkpoint | undefined,
    stopped: readonly StoppedStream[],
  ): void {
    this.superseded = checkpoint && newerThan(storage, this.projection, checkpoint);
    this.live = undefined;
    this.kept = checkpoint;
    this.keptStopped = stopped;
  }
}

/** Returns prefixes of all streams that some projections follow, so that no other stream is read. */
export function prefixesOf<Event extends DomainEvent>(
  projections: readonly AnyProjection<Event>[],
): string[] {
  return [...new Set(projections.flatMap(({ categories }) => categories.map((name) => `${name}-`)))];
}

/**
 * Returns a number that grows with each new version of the program: the sum of the projections' versions. If a projection
 * was removed, the sum may be smaller, and the newer process waits for the older to end.
 */
export function editionOf<Event extends DomainEvent>(projections: readonly AnyProjection<Event>[]): number {
  return projections.reduce((sum, { version }) => sum + version, 0);
}

/** Makes the error if a newer version made the tables. */
function newerThan<Event extends DomainEvent>(
  { place }: ProjectionStorage,
  { name, version }: AnyProjection<Event>,
  checkpoint: Checkpoint,
): ReadModelError | undefined {
  if (checkpoint.version <= version) return undefined;
  return new ReadModelError(
    `${place} was written by a newer version of Hostledger: its projection ${name} has version ` +
      `${String(checkpoint.version)}, this one ${String(version)}. Start that version, or move it away.`,
  );
}
