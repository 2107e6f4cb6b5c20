import { setImmediate as yieldToEventLoop } from "node:timers/promises";

import type { DomainEvent } from "@hostledger/core";
import type { Position } from "@hostledger/event-store";

import { ReadModelError } from "../errors.ts";
import { chunksOf, commitBatch, type EventChunk, type Targets } from "./commit-batch.ts";
import type { Materialisation } from "./materialisation.ts";
import { beforeFirst, earliest, subscriptionStart } from "./position.ts";
import { PositionWaiters } from "./position-waiters.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import type { ProjectionHealth, ProjectionStatus, Projector, ProjectorOptions } from "./projector.ts";
import { rebuildBeside, type RebuildContext, type RebuildReport } from "./rebuild.ts";

const defaultBatchSize = 1_000;

/** The projector of `createProjector`. Everything it knows that must survive is in the database. */
export class EventProjector<Event extends DomainEvent> implements Projector {
  readonly #options: ProjectorOptions<Event>;
  readonly #slots: readonly ProjectionSlot<Event>[];
  readonly #attached = new Set<Materialisation<Event>>();
  readonly #waiters = new PositionWaiters();
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #context: RebuildContext<Event>;
  #loopPosition: Position = beforeFirst;
  #caughtUp = false;
  #running = false;
  #rebuilding = false;

  constructor(options: ProjectorOptions<Event>, slots: readonly ProjectionSlot<Event>[]) {
    this.#options = options;
    this.#slots = slots;
    this.#context = {
      store: options.store,
      storage: options.database.storage,
      codec: options.codec,
      streamPrefixes: options.streamPrefixes,
      batchSize: options.batchSize ?? defaultBatchSize,
      attached: this.#attached,
      loopPosition: () => this.#loopPosition,
      commit: (chunk, targets) => {
        this.#commit(chunk, targets);
        this.#wake();
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new ReadModelError("the projector is running already");
    this.#running = true;
    try {
      for (const slot of this.#slots) if (slot.live !== undefined) slot.live.parked = undefined;
      const unbuilt = this.#slots.filter(({ live }) => live === undefined);
      if (unbuilt.length > 0) await this.#rebuild(unbuilt, signal);
      await this.#follow(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#running = false;
      this.#caughtUp = false;
    }
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    const parked = (): boolean => this.#slots.some(({ parkedReason }) => parkedReason !== undefined);
    const reached = await this.#waiters.wait(position, timeoutMs);
    return reached && !parked();
  }

  async rebuild(
    name?: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<readonly RebuildReport[]> {
    const slots = this.#slots.filter((slot) => name === undefined || slot.name === name);
    if (slots.length === 0) throw new ReadModelError(`there is no projection ${String(name)}`);
    return this.#rebuild(slots, signal);
  }

  health(): readonly ProjectionHealth[] {
    return this.#slots.map((slot) => {
      const state = slot.state(this.#caughtUp);
      const reason = slot.parkedReason;
      return { name: slot.name, state, ...(reason === undefined ? {} : { reason }) };
    });
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    const last = (await this.#options.store.lastPosition()) ?? beforeFirst;
    const { checkpoints } = this.#context.storage;
    return this.#slots.map((slot, index) => {
      const position = slot.live?.position ?? checkpoints.load(slot.name)?.position ?? beforeFirst;
      const health = this.health()[index] ?? { name: slot.name, state: slot.state(this.#caughtUp) };
      return {
        ...health,
        version: slot.projection.version,
        position: position === beforeFirst ? undefined : position,
        behind: health.state === "live" || position >= last ? 0n : last - position,
        rows: slot.live?.tables.countRows() ?? 0,
      };
    });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, streamPrefixes } = this.#options;
    const from = earliest(
      [...this.#live(), ...this.#attached].map(({ position }) => position),
      beforeFirst,
    );
    this.#loopPosition = from;
    for await (const batch of store.subscribe({ from: subscriptionStart(from), streamPrefixes, signal })) {
      for (const chunk of chunksOf(batch, this.#context.batchSize)) {
        await this.#context.storage.writeGate.closed;
        this.#commit(chunk, { live: this.#live(), beside: [...this.#attached] });
        this.#loopPosition = chunk.position;
        this.#wake();
        if (signal.aborted) return;
        // Catching up must not keep everyone else waiting; a live event must not wait for everyone else.
        if (!batch.caughtUp || chunk.position !== batch.position) await yieldToEventLoop();
      }
      this.#caughtUp = batch.caughtUp;
      if (batch.caughtUp) this.#ready.resolve(undefined);
    }
  }

  #live(): Materialisation<Event>[] {
    return this.#slots.flatMap(({ live }) => (live === undefined ? [] : [live]));
  }

  #commit(chunk: EventChunk, targets: Targets<Event>): void {
    const { storage, codec } = this.#context;
    for (const { projection, parked } of commitBatch(storage, codec, chunk, targets)) {
      this.#options.logger?.warn({ projection: projection.name }, parked?.reason ?? "parked");
    }
  }

  /** Wakes those whose position is committed. Parked projections are not waited for: they do not come. */
  #wake(): void {
    const waitedFor = this.#slots.filter(({ parkedReason }) => parkedReason === undefined);
    const positions = waitedFor.map(({ live }) => live?.position ?? beforeFirst);
    this.#waiters.reach(earliest(positions, this.#loopPosition));
  }

  async #rebuild(
    slots: readonly ProjectionSlot<Event>[],
    signal: AbortSignal,
  ): Promise<readonly RebuildReport[]> {
    if (this.#rebuilding) throw new ReadModelError("a rebuild is running already");
    this.#rebuilding = true;
    try {
      const reports = await rebuildBeside(this.#context, slots, signal);
      for (const report of reports) this.#tell(report);
      return reports;
    } finally {
      this.#rebuilding = false;
      this.#wake();
    }
  }

  #tell(report: RebuildReport): void {
    const troubled = report.failure !== undefined || report.equal === false;
    const message = report.failure ?? (troubled ? "rebuilt; the old tables differed" : "rebuilt");
    this.#options.logger?.[troubled ? "warn" : "info"](report, message);
  }
}
