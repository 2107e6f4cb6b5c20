import { statSync } from "node:fs";

import {
  seriesName,
  staffTickets,
  StoreRewoundError,
  storeRewindAggregate,
  type StoreRewindState,
} from "@hostledger/core";
import {
  createCommandHandler,
  noteSequence,
  requestStaffTicket,
  type CommandContext,
  type CommandHandler,
  type EventBatch,
  type EventStore,
  type Lineage,
  type SeenEvent,
} from "@hostledger/store";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import { readably } from "./readably.ts";
import { newestBlocks, noteLostIds, skipIds, skipKnownIds } from "./skipped-ids.ts";
import { readSeenEvents, writeSeenEvents } from "./seen-events.codec.ts";

/** Interval at which the seen events are stored and the embedded store's file is checked, in milliseconds. */
const keepEveryMs = 5_000;

const streamId = "all";
const streamPrefixes = ["rewind-", "sequence-"];

export interface StoreWatchOptions {
  /** The store as it lies there, which refuses nothing. */
  readonly store: EventStore;
  readonly lineage: Lineage;
  /** File with the events that this process has seen, for its next start. */
  readonly file: string;
  /** The file of an embedded store; undefined where the store is a server. */
  readonly storeFile: string | undefined;
  /** Returns the number of events that the audit log has signed; undefined if another process keeps the log. */
  readonly signedEvents: () => Promise<number | undefined>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Author and reason of an acceptance. */
export interface StoreAcceptance {
  readonly reason: string;
  /** The id that every sequence continues after at least. */
  readonly above?: number;
  readonly context: Pick<CommandContext, "correlationId" | "actor">;
}

/** Detects a store that was restored from an older backup; refuses paid work until staff accept the copy. */
export interface StoreWatch {
  /** Compares the store with the events that an earlier run of this process saw. */
  open(): Promise<void>;
  /** Called by the lineage when a loss is proven. */
  onRewound(lost: SeenEvent, wasOpen: boolean): void;
  /** For `/readyz`. `replaced`: somebody put another file there while this process has the former one open. */
  state(): "reachable" | "rewound" | "replaced";
  /** The number of the present series of documents; 0 for the first one, which bears no number. */
  series(): number;
  /** Follows notices by other processes and acceptances by staff, until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
  /** Stores the seen events and checks the store's file, until the signal aborts. */
  keep(signal: AbortSignal): Promise<void>;
  /**
   * Accepts the store as it is, on behalf of staff.
   * @returns undefined if there is nothing to accept.
   * @throws StoreRewoundError
   */
  accept(acceptance: StoreAcceptance): Promise<{ readonly series: number } | undefined>;
}

/** Creates the watch of a process. It is opened before the process reads or writes anything else. */
export function createStoreWatch(options: StoreWatchOptions): StoreWatch {
  return new StoredStoreWatch(options);
}

/** A loss that was proven and is not yet an event. */
interface Untold {
  readonly rewindId: string;
  readonly lost: SeenEvent;
}

class StoredStoreWatch implements StoreWatch {
  readonly #options: StoreWatchOptions;
  readonly #fileId: string | undefined;
  #state: StoreRewindState = storeRewindAggregate.decider.initialState;
  #untold: Untold | undefined;
  #isReplaced = false;
  #kept = "";

  constructor(options: StoreWatchOptions) {
    this.#options = options;
    this.#fileId = this.#presentFile();
  }

  state(): ReturnType<StoreWatch["state"]> {
    if (this.#isReplaced) return "replaced";
    return this.#options.lineage.isRewound ? "rewound" : "reachable";
  }

  series(): number {
    return this.#state.series;
  }

  async open(): Promise<void> {
    const { file, lineage, logger, store } = this.#options;
    await readably(logger, () => this.#read());
    const { remembered, sequences } = readSeenEvents(file);
    for await (const event of newestBlocks(store)) noteSequence(lineage, event.stream, [event]);
    for (const [name, last] of sequences) lineage.noteSequence(name, last);
    await lineage.resume(remembered);
    await readably(logger, () => this.#report());
    this.#heed();
  }

  async follow(signal: AbortSignal): Promise<void> {
    const { lineage, logger, store } = this.#options;
    while (!signal.aborted) {
      const { ended } = lineage;
      const from = (await store.lastPosition()) ?? "start";
      await readably(logger, async () => {
        await this.#read();
        await this.#report();
      });
      this.#heed();
      const ending = AbortSignal.any([signal, ended]);
      for await (const batch of store.subscribe({ from, streamPrefixes, signal: ending })) {
        await this.#check(batch);
        if (ended.aborted) break;
      }
    }
  }

  async keep(signal: AbortSignal): Promise<void> {
    const { clock, lineage, storeFile } = this.#options;
    while (!signal.aborted) {
      if (storeFile !== undefined) await this.#lookAtFile();
      else await lineage.settled();
      this.#keepSeen();
      await clock.sleep(keepEveryMs, signal);
    }
    this.#keepSeen();
  }

  async accept({
    reason,
    above,
    context,
  }: StoreAcceptance): Promise<{ readonly series: number } | undefined> {
    const { clock, ids, lineage } = this.#options;
    if (this.#isReplaced)
      throw new StoreRewoundError(
        "restart this process first: it has another file open than the one that is there",
      );
    await this.#report();
    await this.#read();
    const isForced = above !== undefined;
    if (this.#state.open.length === 0 && !isForced) return undefined;
    const commands = this.#commands();
    const sequences = await skipIds(commands, this.#state, {
      known: lineage.sequences,
      context: { ...context, commandId: `accept-store/${ids.uuid()}` },
      ...(above === undefined ? {} : { above }),
    });
    const knownSeries = lineage.sequences.get(seriesName) ?? 0;
    await commands.execute(
      storeRewindAggregate,
      streamId,
      { type: "AcceptStoreRewind", data: { reason, sequences, isForced, knownSeries, at: clock.now() } },
      { ...context, commandId: `accept-store/${ids.uuid()}` },
    );
    await this.#read();
    this.#heed();
    return { series: this.#state.series };
  }

  /** Called by the lineage: the loss is stored as an event as soon as the store accepts writes. */
  onRewound(lost: SeenEvent, wasOpen: boolean): void {
    const { ids, logger } = this.#options;
    if (this.#fileId !== undefined && wasOpen) this.#isReplaced = true;
    this.#untold = { rewindId: ids.uuid(), lost };
    logger.error(
      { stream: lost.stream, revision: String(lost.revision), eventId: lost.id },
      this.#isReplaced
        ? "the file of the event store was replaced under this process: nothing is written until it is restarted"
        : 'the event store was restored from an older backup: nothing that costs money is written until "hostledger admin store accept"',
    );
  }

  /** Returns a new handler each time, so that no state of another copy is used. */
  #commands(): CommandHandler {
    return createCommandHandler({ store: this.#options.store, recordedBy: "store-watch" });
  }

  async #read(): Promise<void> {
    const { state } = await this.#commands().load(storeRewindAggregate, streamId);
    this.#state = state;
    this.#options.lineage.noteSeries(state.series);
  }

  /** Stores a loss that is not an event yet; one that staff have accepted already needs none. */
  async #report(): Promise<void> {
    const untold = this.#untold;
    if (untold === undefined || this.#isReplaced) return;
    const { clock, lineage } = this.#options;
    const { rewindId, lost } = untold;
    await this.#read();
    if (lineage.isAccepted(lost)) await this.#followAcceptance(rewindId);
    else {
      const context = ofTheWatch(rewindId);
      const { id: eventId, revision, stream } = lost;
      await noteLostIds(this.#options);
      const sequences = [...lineage.sequences].map(([sequence, last]) => ({ sequence, last }));
      const at = clock.now();
      const data = { rewindId, stream, revision: Number(revision), eventId, sequences, at };
      const commands = this.#commands();
      await commands.execute(storeRewindAggregate, streamId, { type: "NoticeStoreRewind", data }, context);
      await requestStaffTicket(
        { commands, clock },
        staffTickets.storeRewound(stream, rewindId),
        "store-watch",
      );
      await this.#read();
    }
    this.#untold = undefined;
  }

  /** Staff accepted the copy before this process noticed the loss; the ids that this process knows still count. */
  async #followAcceptance(rewindId: string): Promise<void> {
    const { lineage } = this.#options;
    await skipKnownIds(this.#commands(), lineage.sequences, (name) => ofTheWatch(`${rewindId}/${name}`));
    lineage.accept();
  }

  /** Applies the stored state: refuses writes while a notice is open, and ends the refusal afterwards. */
  #heed(): void {
    const { lineage, logger } = this.#options;
    if (this.#untold !== undefined || this.#isReplaced) return;
    if (this.#state.open.length > 0)
      lineage.refuse("a process found that the store was restored from an older backup");
    else if (lineage.isRewound) {
      lineage.accept();
      logger.info({ series: this.#state.series }, "the store was accepted: everything goes on");
    }
  }

  async #check({ events }: EventBatch): Promise<void> {
    const { lineage, logger } = this.#options;
    let isRewind = false;
    for (const event of events) {
      if (event.stream.startsWith("sequence-")) noteSequence(lineage, event.stream, [event]);
      else isRewind = true;
    }
    if (!isRewind) return;
    await readably(logger, () => this.#read());
    this.#heed();
  }

  /** Detects that the file of an open embedded store was replaced, so that the states in memory no longer match the file. */
  async #lookAtFile(): Promise<void> {
    const { lineage } = this.#options;
    lineage.invalidate();
    await lineage.settled();
    if (this.#isReplaced || this.#presentFile() === this.#fileId) return;
    this.#isReplaced = true;
    lineage.refuse("the file of the event store was replaced: restart this process");
    this.#options.logger.error(
      { file: this.#options.storeFile },
      "the file of the event store was replaced under this process: nothing is written until it is restarted",
    );
  }

  #presentFile(): string | undefined {
    const { storeFile } = this.#options;
    if (storeFile === undefined) return undefined;
    const found = statSync(storeFile, { throwIfNoEntry: false });
    return found === undefined ? "none" : `${String(found.dev)}/${String(found.ino)}`;
  }

  /** The seen events of an accepted copy are deleted only after its loss is stored as an event. */
  #keepSeen(): void {
    const { file, lineage } = this.#options;
    if (this.#untold !== undefined || this.#isReplaced) return;
    this.#kept = writeSeenEvents(file, lineage, this.#kept);
  }
}

function ofTheWatch(rewindId: string): CommandContext {
  return { commandId: `${rewindId}/store-watch`, correlationId: rewindId, actor: "process:store-watch" };
}
