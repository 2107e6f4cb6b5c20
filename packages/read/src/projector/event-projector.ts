import type { DomainEvent } from "@hostledger/core";
import type { Position } from "@hostledger/store";
import { monotonicMilliseconds } from "@hostledger/runtime";
import { isAborted, orAborted, yieldToOthers } from "@hostledger/runtime/async";

import { ReadModelError } from "../errors.ts";
import type { Advances } from "../storage/storage.port.ts";
import type { StoredStop } from "../storage/stopped-streams.ts";
import { dropRubbish } from "../storage/table-set.ts";
import { AwaitedAnnouncement } from "./awaited-announcement.ts";
import { traceChunk } from "./chunk-spans.ts";
import { chunksOf } from "./commit-batch.ts";
import { Commits, isMending, mendingPrefix } from "./commits.ts";
import { generationOf, LogLineage } from "./lineage.ts";
import type { Materialisation } from "./materialisation.ts";
import { beforeFirst, earliestOf, positionOf, subscriptionStart, type Place } from "./position.ts";
import { buildFirst } from "./first-build.ts";
import { PositionWaiters } from "./position-waiters.ts";
import { editionOf, prefixesOf, ProjectionSlot, type ProjectionHealth } from "./projection-slot.ts";
import type { AfterOptions, ProjectionStatus, Projector, ProjectorOptions } from "./projector.ts";
import { rebuildBeside, type RebuildContext, type RebuildReport } from "./rebuild.ts";
import { logRebuild } from "./rebuild-log.ts";
import { restAfter } from "./rest.ts";
import { sideBySide } from "./side-by-side.ts";
import { statusesOf } from "./status.ts";
import { ResumableStreams } from "./resuming.ts";

/** Maximum wait of an answer for read models that are still catching up, in milliseconds. */
const catchingUpWaitMs = 1_000;
/** Interval at which a standby process checks the checkpoints itself, in milliseconds. */
const believesForMs = 5_000;

/** The projector of `createProjector`. All lasting state is in the database. */
export class EventProjector<Event extends DomainEvent> implements Projector {
  readonly #options: ProjectorOptions<Event>;
  readonly #slots: readonly ProjectionSlot<Event>[];
  readonly #attached = new Set<Materialisation<Event>>();
  readonly #waiters = new PositionWaiters();
  readonly #awaited: AwaitedAnnouncement;
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #context: RebuildContext<Event>;
  readonly #commits: Commits<Event>;
  readonly #resuming: ResumableStreams;
  stoppedAtStart: readonly StoredStop[] = [];
  #loopPosition: Position = beforeFirst;
  #caughtUp = false;
  #wasReady = false;
  #isActive = false;
  #running = false;
  #rebuilding = false;
  #generation = 0;
  #building: Promise<unknown> = Promise.resolve();
  /** Ends the present pass through the log for another. */
  #again = new AbortController();

  constructor(options: ProjectorOptions<Event>) {
    const { projections, store } = options;
    this.#options = options;
    this.#commits = new Commits(options);
    this.#resuming = new ResumableStreams(options);
    this.#slots = projections.map((projection) => new ProjectionSlot(projection, store));
    this.#context = {
      store: options.store,
      storage: options.database.storage,
      streamPrefixes: [...new Set([...prefixesOf(options.projections), mendingPrefix])],
      batchSize: options.batchSize ?? 1_000,
      attached: this.#attached,
      loopPosition: () => this.#loopPosition,
      commit: async (chunk, targetsNow, afterwards) => {
        await this.#commits.commit(chunk, targetsNow, afterwards);
        this.#wake();
      },
    };
    this.#awaited = new AwaitedAnnouncement(options.database.storage.ownership, this.#waiters);
  }

  /** Takes the tables over if no other process owns them; otherwise reads their state. @throws ReadModelError */
  async open(): Promise<void> {
    await this.#context.storage.exclusively(async () => {
      if (await this.#takeOverOrLook()) return;
      for (const { superseded } of this.#slots) if (superseded !== undefined) throw superseded;
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new ReadModelError("the projector is running already");
    this.#running = true;
    try {
      for (let ended = false; !ended;) {
        await this.#standBy(signal);
        if (isAborted(signal)) return;
        this.#again = new AbortController();
        const aside = AbortSignal.any([this.#again.signal, this.#context.storage.ownership.lost]);
        await this.#goOn(AbortSignal.any([signal, aside]));
        ended = !aside.aborted;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#running = false;
      this.#caughtUp = false;
    }
  }

  /** Makes one pass through the log until the signal aborts: builds missing or resumable tables, then follows. */
  async #goOn(signal: AbortSignal): Promise<void> {
    const resumable = await this.#resuming.slots(this.#slots);
    const unbuilt = this.#slots.filter((slot) => slot.live === undefined || resumable.includes(slot));
    // Existing tables stay up to date while others are built. If there are none, the log is read only once.
    const followFirst = this.#live().length > 0;
    const build = followFirst ? rebuildBeside : buildFirst;
    await sideBySide(signal, [
      ...(unbuilt.length > 0
        ? [(ending: AbortSignal) => this.#building.then(() => this.#rebuild(unbuilt, ending, build))]
        : []),
      ...(followFirst ? [(ending: AbortSignal) => this.#follow(ending)] : []),
    ]);
    if (!followFirst && !signal.aborted) await this.#follow(signal);
  }

  stopped(): readonly StoredStop[] {
    return this.#slots.flatMap(({ name, stopped }) => stopped.map((stop) => ({ projection: name, ...stop })));
  }

  foreignEvents(): number {
    return this.#commits.foreign;
  }

  ready(signal?: AbortSignal): Promise<void> {
    return signal === undefined ? this.#ready.promise : orAborted(this.#ready.promise, signal);
  }

  async after(
    place: Place,
    { names, limitMs = 5_000, isUrgent = true }: AfterOptions = {},
  ): Promise<boolean> {
    const position = await positionOf(this.#options.store, place);
    if (position === undefined) return true;
    const needed = this.#slots.filter(({ name }) => names === undefined || names.includes(name));
    if (names !== undefined && needed.some((slot) => !slot.hasReached(position) && !slot.isMoving))
      return false;
    const isShort = names !== undefined && !this.#wasReady;
    const waitMs = isShort ? Math.min(limitMs, catchingUpWaitMs) : limitMs;
    const waiting = this.#waiters.wait(position, waitMs, isUrgent);
    if (!this.#isActive) this.#awaited.announce();
    await waiting;
    const late = needed.filter((slot) => !slot.hasReached(position));
    for (const slot of late) slot.owe(position);
    return late.length === 0;
  }

  async rebuild(name?: string, signal = new AbortController().signal): Promise<readonly RebuildReport[]> {
    if (!this.#isActive)
      throw new ReadModelError("another process keeps these read models: ask that one to rebuild them");
    const slots = this.#slots.filter((slot) => name === undefined || slot.name === name);
    if (slots.length === 0) throw new ReadModelError(`there is no projection ${String(name)}`);
    return this.#rebuild(slots, signal);
  }

  health(): readonly ProjectionHealth[] {
    return this.#slots.map((slot) => slot.health(this.#caughtUp));
  }

  stale(): readonly string[] {
    return this.#slots.filter((slot) => slot.isStale(this.#caughtUp)).map(({ name }) => name);
  }

  status(): Promise<readonly ProjectionStatus[]> {
    return statusesOf(this.#slots, this.#context, this.#caughtUp);
  }

  /** Waits until this process owns the tables, and reports the progress of their present owner meanwhile. */
  async #standBy(signal: AbortSignal): Promise<void> {
    const { storage } = this.#context;
    const isSameStore = this.#generation === generationOf(this.#options.store);
    if (this.#isActive && isSameStore && storage.ownership.isHeld) return;
    this.#isActive = false;
    let news: Advances | undefined;
    for (let lookedAtMs = -Infinity; !isAborted(signal);) {
      if (news !== undefined && monotonicMilliseconds() - lookedAtMs < believesForMs) this.#take(news);
      else {
        if (await storage.exclusively(() => this.#takeOverOrLook())) return;
        lookedAtMs = monotonicMilliseconds();
      }
      this.#awaited.onNews();
      news = await storage.ownership.untilNews(signal);
    }
  }

  /** @returns true if this process now owns the tables. */
  async #takeOverOrLook(): Promise<boolean> {
    const isOurs = await this.#context.storage.ownership.tryAcquire(editionOf(this.#options.projections));
    await (isOurs ? this.#takeOver() : this.#look());
    return isOurs;
  }

  async #takeOver(): Promise<void> {
    const { store, logger } = this.#options;
    const { storage } = this.#context;
    const rubbish = await dropRubbish(storage);
    if (rubbish.length > 0) logger?.info({ tables: rubbish }, "dropped what an interrupted rebuild left");
    this.#generation = generationOf(store);
    const log = new LogLineage(store);
    for (const slot of this.#slots) await slot.open(storage, log);
    this.stoppedAtStart = this.stopped();
    this.#attached.clear();
    this.#loopPosition = beforeFirst;
    this.#isActive = true;
  }

  /** Reads the commits of the process that owns the tables. */
  async #look(): Promise<void> {
    const { storage } = this.#context;
    const kept = new Map((await storage.checkpoints.all()).map((each) => [each.projection, each]));
    const stopped = Map.groupBy(await storage.stoppedStreams.all(), ({ projection }) => projection);
    for (const slot of this.#slots) slot.follow(storage, kept.get(slot.name), stopped.get(slot.name) ?? []);
    // A standby process cannot see the length of the log, so it only follows the built tables.
    this.#caughtUp = this.#slots.every(({ position }) => position !== undefined);
    if (this.#caughtUp) this.#becomeReady();
    this.#wake();
  }

  /** Takes over the positions that the owner of the tables reports. */
  #take(advances: Advances): void {
    for (const slot of this.#slots) slot.advance(advances.get(slot.name));
    this.#wake();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, streamPrefixes } = this.#context;
    const from = earliestOf([...this.#live(), ...this.#attached], beforeFirst);
    this.#loopPosition = from;
    for await (const batch of store.subscribe({ from: subscriptionStart(from), streamPrefixes, signal })) {
      const batchBeganMs = monotonicMilliseconds();
      for (const chunk of chunksOf(batch, this.#context.batchSize)) {
        const beganMs = monotonicMilliseconds();
        await this.#commits.commit(chunk, () => {
          // Before the turn ends, because the next turn must see this position.
          this.#loopPosition = chunk.position;
          return { live: this.#live(), beside: [...this.#attached] };
        });
        this.#wake();
        if (this.#caughtUp) traceChunk(this.#options, chunk, beganMs);
        if (isMending(chunk, this.#slots)) this.#again.abort();
        if (signal.aborted) return;
        // Catch-up must yield to other work, but a live event must not wait.
        if (!batch.caughtUp || chunk.position !== batch.position) await yieldToOthers();
      }
      this.#caughtUp = batch.caughtUp;
      this.#considerReady();
      if (batch.caughtUp) {
        const commit = { events: batch.events.length, tookMs: monotonicMilliseconds() - batchBeganMs };
        await restAfter(commit, { ...this.#options, waiters: this.#waiters }, signal);
      }
    }
  }

  /** Becomes ready when every table that can be built has read the whole log. */
  #considerReady(): void {
    const isBuilt = this.#slots.every(({ live, buildFailure }) => (live ?? buildFailure) !== undefined);
    if (this.#caughtUp && isBuilt) this.#becomeReady();
  }

  #becomeReady(): void {
    this.#wasReady = true;
    this.#ready.resolve(undefined);
  }

  #live(): Materialisation<Event>[] {
    return this.#slots.flatMap(({ live }) => (live === undefined ? [] : [live]));
  }

  /** Wakes callers whose position is committed. Stopped projections are not waited for. */
  #wake(): void {
    const waitedFor = this.#slots.filter(({ isMoving }) => isMoving);
    this.#waiters.reach(earliestOf(waitedFor, this.#loopPosition));
  }

  async #rebuild(
    slots: readonly ProjectionSlot<Event>[],
    signal: AbortSignal,
    build: typeof rebuildBeside = rebuildBeside,
  ): Promise<readonly RebuildReport[]> {
    if (this.#rebuilding) throw new ReadModelError("a rebuild is running already");
    this.#rebuilding = true;
    const over = Promise.withResolvers<undefined>();
    this.#building = over.promise;
    try {
      const reports = await build(this.#context, slots, signal);
      for (const report of reports) logRebuild(this.#options.logger, report);
      return reports;
    } finally {
      this.#rebuilding = false;
      over.resolve(undefined);
      this.#considerReady();
      this.#wake();
    }
  }
}
