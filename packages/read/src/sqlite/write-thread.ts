import { Worker } from "node:worker_threads";

import { ReadModelError } from "../errors.ts";
import { decodeFailure, type WriteMessage, type WriteOutcomes } from "./write-channel.codec.ts";
import type { WriteRequest, Writing } from "./write-session.ts";

/** The write thread ended, and with it the open transaction. The next request gets a new thread. */
export class WriteThreadEndedError extends ReadModelError {}

/** Number of parameters after which requests are sent early, so that the thread starts while more are prepared. */
const earlyParameters = 2_000;

interface Asked {
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/** A write thread and its unanswered requests, by connection, in order. */
export class WriteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Asked[]>();
  #unanswered = 0;
  hasEnded = false;

  constructor(worker = new Worker(new URL("./write.worker.ts", import.meta.url))) {
    this.#worker = worker;
    // The thread keeps the process alive only while a request is unanswered.
    worker.unref();
    worker.on("message", ({ connection, outcomes }: WriteOutcomes) => {
      this.#settle(connection, outcomes);
    });
    worker.once("error", (error: unknown) => {
      this.#end(error);
    });
    worker.once("exit", () => {
      this.#end(undefined);
    });
  }

  post(message: WriteMessage, asked: readonly Asked[]): void {
    if (this.hasEnded) {
      for (const { reject } of asked) reject(this.#gone());
      return;
    }
    if (this.#unanswered === 0) this.#worker.ref();
    this.#unanswered += asked.length;
    const waiting = this.#waiting.get(message.connection);
    if (waiting === undefined) this.#waiting.set(message.connection, [...asked]);
    else waiting.push(...asked);
    this.#worker.postMessage(message);
  }

  #settle(connection: number, outcomes: WriteOutcomes["outcomes"]): void {
    const asked = this.#waiting.get(connection)?.splice(0, outcomes.length) ?? [];
    this.#unanswered -= outcomes.length;
    if (this.#unanswered === 0) this.#worker.unref();
    for (const [index, outcome] of outcomes.entries()) {
      if ("failure" in outcome) asked[index]?.reject(decodeFailure(outcome.failure));
      else asked[index]?.resolve(outcome.rows);
    }
  }

  #end(cause: unknown): void {
    this.hasEnded = true;
    for (const asked of this.#waiting.values())
      for (const { reject } of asked.splice(0)) reject(this.#gone(cause));
  }

  #gone(cause?: unknown): WriteThreadEndedError {
    return new WriteThreadEndedError("the thread that writes read models has ended", { cause });
  }
}

let connections = 0;

/** Shares a thread between all callers, because starting a thread is slow and most threads would be idle. */
function sharedThread(): () => WriteThread {
  let shared: WriteThread | undefined;
  return () => {
    if (shared === undefined || shared.hasEnded) shared = new WriteThread();
    return shared;
  };
}

const threadForRows = sharedThread();
const threadForIndexes = sharedThread();

/**
 * Runs statements such as CREATE INDEX on a separate thread, because they take a second for a million rows. Other files can
 * be written meanwhile; this file cannot.
 * @throws the database's error.
 */
export async function executeBeside(path: string, statements: readonly string[]): Promise<void> {
  const writing = new ThreadWriting(path, () => undefined, threadForIndexes);
  try {
    for (const sql of statements) await writing.ask({ kind: "execute", sql });
  } finally {
    await writing.close();
  }
}

/** A connection that writes a file on the process's write thread. Requests of the same microtask share a message. */
export class ThreadWriting implements Writing {
  readonly #self: Pick<WriteMessage, "connection" | "path">;
  readonly #beforeAnswers: () => void;
  readonly #threadNow: () => WriteThread;
  #thread: WriteThread | undefined;
  #isInTransaction = false;
  #isClosed = false;
  #requests: WriteRequest[] = [];
  #asked: Asked[] = [];
  #parameters = 0;

  /**
   * @param beforeAnswers called before each answer, because the answered request may have written.
   * @param threadNow returns a running thread; by default the process's thread for rows.
   */
  constructor(path: string, beforeAnswers: () => void, threadNow = threadForRows) {
    connections += 1;
    this.#self = { connection: connections, path };
    this.#beforeAnswers = beforeAnswers;
    this.#threadNow = threadNow;
  }

  ask(request: WriteRequest): Promise<readonly unknown[]> {
    if (this.#isClosed) return Promise.reject(new ReadModelError(`${this.#self.path} is closed`));
    return new Promise((resolve, reject) => {
      if (this.#requests.length === 0) {
        queueMicrotask(() => {
          this.#post();
        });
      }
      this.#requests.push(request);
      this.#asked.push({
        resolve: (rows) => {
          this.#beforeAnswers();
          resolve(rows);
        },
        reject,
      });
      if (request.kind === "change") this.#parameters += request.changes.parameters.length;
      if (this.#parameters >= earlyParameters) this.#post();
    });
  }

  async close(): Promise<void> {
    this.#post();
    this.#isClosed = true;
    const thread = this.#thread;
    // An ended thread has already closed its connections.
    if (thread === undefined || thread.hasEnded) return;
    await new Promise((resolve, reject) => {
      thread.post({ ...this.#self, requests: undefined }, [{ resolve, reject }]);
    });
  }

  #post(): void {
    if (this.#requests.length === 0) return;
    const [requests, asked] = [this.#requests, this.#asked];
    this.#requests = [];
    this.#asked = [];
    this.#parameters = 0;
    // A transaction ends with its thread, so another thread must not carry out its remaining requests.
    const mayHaveAnother = !this.#isInTransaction || requests[0]?.kind === "rollback";
    const thread = mayHaveAnother || this.#thread === undefined ? this.#threadNow() : this.#thread;
    this.#thread = thread;
    for (const { kind } of requests) {
      if (kind === "begin") this.#isInTransaction = true;
      else if (kind === "commit" || kind === "rollback") this.#isInTransaction = false;
    }
    thread.post({ ...this.#self, requests }, asked);
  }
}
