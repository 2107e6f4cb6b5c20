import type { DomainEvent } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/event-store";
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

/** What a projection is doing. */
export type ProjectionState = "live" | "catching-up" | "rebuilding" | "parked";

/** A projection's health: cheap, for readiness checks. */
export interface ProjectionHealth {
  readonly name: string;
  readonly state: ProjectionState;
  /** Why it is parked, naming the event. */
  readonly reason?: string;
  /** The last position its tables reflect; absent before the first. */
  readonly position?: Position;
  /** True while what is read from it may be out of date: it stands still, has yet to catch up, or is built anew. */
  readonly stale?: true;
  /** True while there is nothing to read from: the tables are being built for the first time. */
  readonly unbuilt?: true;
}

/** A projection's place in its projector: its live tables, or the reason why there are none worth following. */
export class ProjectionSlot<Event extends DomainEvent> {
  readonly projection: AnyProjection<Event>;
  /** Undefined while the tables are those of another version, or were never built, or another process keeps them. */
  live: Materialisation<Event> | undefined;
  /** What another process says of the tables that it keeps. */
  kept: Checkpoint | undefined;
  /** The streams that stand still in the tables that another process keeps. */
  keptStopped: readonly StoppedStream[] = [];
  /** Why this version cannot read what another process keeps: a newer one has made it. */
  superseded: ReadModelError | undefined;
  rebuilding = false;
  /** Why the last build from the start failed. */
  buildFailure: Parking | undefined;
  /** True while tables of another version serve until those of this one take their place. */
  hasFormer = false;
  /** The furthest position that somebody has waited for in vain. */
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

  /** The sentence why it stands still, if it does. */
  get parkedReason(): string | undefined {
    if (this.kept !== undefined) return this.kept.parked ?? undefined;
    return this.parking?.reason;
  }

  /** Where it stands still in this process, if it does. */
  get parking(): Parking | undefined {
    return this.live === undefined ? this.buildFailure : this.live.parked;
  }

  /** The streams whose rows stand still. */
  get stopped(): readonly StoppedStream[] {
    return this.live?.stopped ?? this.keptStopped;
  }

  /** How far the tables have come; undefined while there are none of this version. */
  get position(): Position | undefined {
    if (this.kept !== undefined) return this.#isOfThisVersion(this.kept) ? this.kept.position : undefined;
    return this.live?.position;
  }

  /** True while its tables follow the log: neither parked nor still to be built. */
  get isMoving(): boolean {
    return this.position !== undefined && this.parkedReason === undefined;
  }

  hasReached(position: Position): boolean {
    return (this.position ?? beforeFirst) >= position;
  }

  /** Somebody has waited in vain for this position. */
  owe(position: Position): void {
    if (this.#owed < position) this.#owed = position;
  }

  /** True where there is nothing to read from that this version understands. */
  get isUnbuilt(): boolean {
    if (this.superseded !== undefined) return true;
    return this.live === undefined && this.kept === undefined && !this.hasFormer;
  }

  /** True while what is read from it may be out of date. */
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
   * Finds the tables as an earlier run left them, and takes them over. Tables of another version or shape are not followed:
   * they stay readable as they are and are built anew. Tables of another log (they are ahead of it, or it does not have their
   * last event where it was) are dropped: what they say is not so. Those of a log that was restored from before their position
   * go on behind their last event.
   *
   * @throws ReadModelError the tables were made by a newer version of the projection.
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
      // Until the first build is over there are no tables: an empty one would say that there is nothing.
      await tableSet.drop();
      return;
    }
    const newer = newerThan(storage, this.projection, checkpoint);
    if (newer !== undefined) throw newer;
    const { last_event: mark } = checkpoint;
    const from = mark === null ? checkpoint.position : await log.positionOf(mark);
    // The tables are evidence that the store was further: it is looked at before they are dropped.
    const lost = from === undefined && mark !== null ? seenEventOf(mark) : undefined;
    if (lost !== undefined) await this.#store.lineage?.suspect(lost);
    const isOfOtherLog = from === undefined || checkpoint.position > (await log.lastPosition());
    if (isOfOtherLog && this.#store.lineage?.isRewound === true) {
      // What is read from them says that it may be out of date, until the copy that the store is now has its tables.
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

  /** The projection in a set of tables that have come so far. */
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

  /** Takes note that the process that keeps the tables has come so far. */
  advance(position: Position | undefined): void {
    if (this.kept !== undefined && position !== undefined && position > this.kept.position)
      this.kept = { ...this.kept, position };
  }

  /** Takes note of what the process that keeps the tables says. */
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

/** The streams that any of some projections follows: what nobody asks for is never read. */
export function prefixesOf<Event extends DomainEvent>(
  projections: readonly AnyProjection<Event>[],
): string[] {
  return [...new Set(projections.flatMap(({ categories }) => categories.map((name) => `${name}-`)))];
}

/**
 * Tells newer programs from older ones by what they keep: versions only grow, and a projection that is added adds its own. Where one
 * was taken away the sum may be smaller, and then the newer one waits for its turn.
 */
export function editionOf<Event extends DomainEvent>(projections: readonly AnyProjection<Event>[]): number {
  return projections.reduce((sum, { version }) => sum + version, 0);
}

/** The sentence that a newer version has made the tables, where one has. */
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
