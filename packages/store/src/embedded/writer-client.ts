import type { Worker } from "node:worker_threads";

import { afterThisTurn, monotonicMilliseconds } from "@hostledger/runtime/async";

import {
  EventStoreFailedError,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from "../event-store.port.ts";
import {
  decodeActual,
  encodeExpected,
  refused,
  type CommittedAnswer,
  type FullAnswer,
  type WriterAnswer,
  type WriterRequest,
} from "./channel.ts";
import { messageOf } from "./database.ts";
import { giveBackThread, takeThread } from "./writer-threads.ts";

/** Maximum waiting characters of data and metadata, because the limit on appends alone would allow gigabytes. */
const waitingCharacterLimit = 128 * 1_048_576;

/** One sync to disk and its events. */
export interface Commit {
  readonly events: number;
  /** Duration from the posting of its first append, on the monotonic clock. */
  readonly seconds: number;
}

export interface WriterClientOptions {
  /** The position of the last event on disk; 0 if there is none. */
  readonly lastPosition: number;
  /** Returns the time for new events: ISO 8601 UTC with six fractional digits. */
  readonly now: () => string;
  readonly queueLimit: number;
  /** Receives newly stored events in log order, before their appends are answered. */
  readonly onStored: (events: readonly RecordedEvent[]) => void;
  /** Called after every commit, when its events are published. */
  readonly onCommitted?: (commit: Commit) => void;
  /** Called once, if nothing can be written any more. */
  readonly onFailure: (error: EventStoreFailedError) => void;
}

interface WaitingAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
  /** Original time of restored events; undefined for new ones. */
  readonly time: string | undefined;
  readonly characters: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

interface PostedRequest {
  readonly time: string;
  readonly postedMs: number;
  readonly appends: readonly WaitingAppend[];
}

/** Makes a writer thread open the file and resolves when it is open. @throws EventStoreFailedError */
export function startWriter(path: string): Promise<Worker> {
  const worker = takeThread();
  const request: WriterRequest = { kind: "open", path };
  worker.postMessage(request);
  return new Promise((resolve, reject) => {
    worker.once("error", (error) => {
      reject(
        new EventStoreFailedError(`the writer of ${path} did not start: ${messageOf(error)}`, {
          cause: error,
        }),
      );
    });
    worker.once("message", (answer: WriterAnswer) => {
      if (answer.kind === "failed") reject(new EventStoreFailedError(answer.message));
      else resolve(worker);
    });
  });
}

/** The main thread's side of the writer: collects the appends of one turn, posts them, and matches the answers in order. */
export class WriterClient {
  readonly #worker: Worker;
  readonly #options: WriterClientOptions;
  readonly #ended: Promise<void>;
  #collecting: WaitingAppend[] = [];
  #posted: PostedRequest[] = [];
  #waitingAppends = 0;
  #waitingCharacters = 0;
  #lastPosition: number;
  #failure: EventStoreFailedError | undefined;
  #closing = false;

  constructor(worker: Worker, options: WriterClientOptions) {
    this.#worker = worker;
    this.#options = options;
    this.#lastPosition = options.lastPosition;
    this.#ended = new Promise((resolve) => {
      worker.once("exit", () => {
        if (!this.#closing) this.#fail("the writer thread ended by itself");
        resolve();
      });
      worker.on("message", (answer: WriterAnswer) => {
        if (answer.kind === "committed") this.#settle(answer);
        if (answer.kind === "full") this.#refuse(answer);
        if (answer.kind === "failed") this.#fail(answer.message);
        if (answer.kind !== "closed") return;
        giveBackThread(worker);
        resolve();
      });
    });
    worker.on("error", (error) => {
      this.#fail(messageOf(error));
    });
  }

  /** Queues a valid append. @param time original time of restored events; default: now */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    time?: string,
  ): Promise<AppendResult> {
    if (this.#failure !== undefined) return Promise.reject(gone(this.#failure));
    if (this.#closing) return Promise.reject(new EventStoreUnavailableError("the event store is closed"));
    if (this.#waitingAppends >= this.#options.queueLimit || this.#waitingCharacters > waitingCharacterLimit) {
      const waiting = `${String(this.#waitingAppends)} appends are waiting`;
      return Promise.reject(new EventStoreOverloadedError(`the event store's queue is full: ${waiting}`));
    }
    let characters = 0;
    for (const { data, metadata } of events) characters += data.length + metadata.length;
    this.#waitingAppends += 1;
    this.#waitingCharacters += characters;
    return new Promise((resolve, reject) => {
      if (this.#collecting.length === 0) {
        afterThisTurn(() => {
          this.#post();
        });
      }
      this.#collecting.push({ stream, expected, events, time, characters, resolve, reject });
    });
  }

  /** Waits until all queued appends are written and answered, and the file is closed. */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#post();
      this.#worker.postMessage({ kind: "close" });
    }
    await this.#ended;
  }

  /** Sends one message for all appends of the turn, because cloning a few flat arrays is cheap. */
  #post(): void {
    const appends = this.#collecting;
    if (appends.length === 0 || this.#failure !== undefined) return;
    this.#collecting = [];
    const time = this.#options.now();
    const fields: string[] = [];
    for (const { events } of appends) {
      for (const { id, type, data, metadata } of events) fields.push(id, type, data, metadata);
    }
    this.#posted.push({ time, postedMs: monotonicMilliseconds(), appends });
    this.#worker.postMessage({
      kind: "append",
      time,
      streams: appends.map(({ stream }) => stream),
      expected: appends.map(({ expected }) => encodeExpected(expected)),
      counts: appends.map(({ events }) => events.length),
      fields,
      // Sent only during an import, so that most appends do not pay for it.
      ...(appends.some((append) => append.time !== undefined)
        ? { times: appends.map((append) => append.time ?? time) }
        : {}),
    });
  }

  /** Publishes new events, then answers, so that a caller finds its events in reads and subscriptions. */
  #settle({ requests, revisions, positions }: CommittedAnswer): void {
    const settled = this.#posted.splice(0, requests);
    const outcomes: (() => void)[] = [];
    const stored: RecordedEvent[] = [];
    let index = 0;
    for (const { time, appends } of settled) {
      for (const append of appends) {
        const revision = revisions[index] ?? 0;
        const position = positions[index] ?? refused;
        index += 1;
        this.#waitingAppends -= 1;
        this.#waitingCharacters -= append.characters;
        if (position > this.#lastPosition) {
          record(append, append.time ?? time, revision, position, stored);
          this.#lastPosition = position;
        }
        outcomes.push(() => {
          answer(append, revision, position);
        });
      }
    }
    this.#options.onStored(stored);
    const postedMs = settled[0]?.postedMs;
    if (postedMs !== undefined) {
      const seconds = (monotonicMilliseconds() - postedMs) / 1_000;
      this.#options.onCommitted?.({ events: stored.length, seconds });
    }
    for (const settle of outcomes) settle();
  }

  /** Refuses these appends; nothing of them was stored. A repetition succeeds when there is space. */
  #refuse({ requests }: FullAnswer): void {
    const error = new EventStoreUnavailableError("the event store has no room left: its disk is full");
    for (const { appends } of this.#posted.splice(0, requests)) {
      for (const append of appends) {
        this.#waitingAppends -= 1;
        this.#waitingCharacters -= append.characters;
        append.reject(error);
      }
    }
  }

  #fail(message: string): void {
    if (this.#failure !== undefined) return;
    const failure = new EventStoreFailedError(`the event store stopped writing: ${message}`);
    this.#failure = failure;
    const waiting = [...this.#posted.flatMap(({ appends }) => appends), ...this.#collecting];
    this.#posted = [];
    this.#collecting = [];
    for (const append of waiting) append.reject(gone(failure));
    this.#options.onFailure(failure);
  }
}

/** Makes the error of an append after the writer ended: whether it was stored shows after the next start. */
function gone(failure: EventStoreFailedError): EventStoreUnavailableError {
  return new EventStoreUnavailableError(failure.message, { cause: failure });
}

function answer(
  { stream, expected, resolve, reject }: WaitingAppend,
  revision: number,
  position: number,
): void {
  if (position === refused) reject(new WrongExpectedRevisionError(stream, expected, decodeActual(revision)));
  else resolve({ revision: BigInt(revision), position: BigInt(position) });
}

/** Returns the events of a newly stored append, from the revision and position of its last event. Neither has gaps. */
function record(
  { stream, events }: WaitingAppend,
  time: string,
  lastRevision: number,
  lastPosition: number,
  stored: RecordedEvent[],
): void {
  events.forEach(({ id, type, data, metadata }, index) => {
    const before = events.length - 1 - index;
    const revision = BigInt(lastRevision - before);
    const position = BigInt(lastPosition - before);
    stored.push({ stream, revision, position, time, id, type, data, metadata });
  });
}
