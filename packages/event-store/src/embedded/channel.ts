/**
 * What the main thread and the writer thread say to each other. Structured cloning costs by the object, so one message
 * carries many appends as a few flat arrays, and revisions and positions travel as numbers (exact up to 2^53).
 */

import type { ExpectedRevision } from "../event-store.port.ts";

/** The appends of one turn of the main thread's event loop, in order. */
export interface AppendRequest {
  readonly kind: "append";
  /** When they were taken in: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** One for each append, when some of them bring their own. */
  readonly times?: string[];
  /** One entry for each append. */
  readonly streams: string[];
  /** One for each append: a revision or one of `expectedCode`. */
  readonly expected: number[];
  /** One for each append: its number of events. */
  readonly counts: number[];
  /** Four for each event of all appends: id, type, data, metadata. */
  readonly fields: string[];
}

/** Open this file, which is what everything until the next close is meant for. */
export interface OpenRequest {
  readonly kind: "open";
  readonly path: string;
}

/** Finish what came before, then close the file. */
export interface CloseRequest {
  readonly kind: "close";
}

export type WriterRequest = OpenRequest | AppendRequest | CloseRequest;

/** The file is open. */
export interface ReadyAnswer {
  readonly kind: "ready";
}

/** The transaction that holds the next `requests` unanswered requests is on disk. */
export interface CommittedAnswer {
  readonly kind: "committed";
  readonly requests: number;
  /** One for each append: its last event's revision; of a refused one the stream's last revision or `noRevision`. */
  readonly revisions: number[];
  /** One for each append: its last event's position, or `refused`. */
  readonly positions: number[];
}

/** The disk is full: nothing of the next `requests` unanswered requests was stored. The next ones are tried again. */
export interface FullAnswer {
  readonly kind: "full";
  readonly requests: number;
}

/** Everything is written, and the file closed. The thread can open another one. */
export interface ClosedAnswer {
  readonly kind: "closed";
}

/** Opening, inserting, committing or syncing failed. Nothing more is written, and the thread ends. */
export interface FailedAnswer {
  readonly kind: "failed";
  readonly message: string;
}

export type WriterAnswer = ReadyAnswer | CommittedAnswer | FullAnswer | ClosedAnswer | FailedAnswer;

/** Stands for expectations that are no revision; the numbers are those of EventStoreDB. */
export const expectedCode = { noStream: -1, any: -2, streamExists: -4 } as const;

/** The revision of a stream that does not exist. */
export const noRevision = -1;

/** The position of an append that was refused for its expected revision. Real positions start at 1. */
export const refused = 0;

/** A revision beyond 2^53 is beyond every stream too, so rounding it changes no answer. */
export function encodeExpected(expected: ExpectedRevision): number {
  if (typeof expected === "bigint") return Number(expected);
  if (expected === "no-stream") return expectedCode.noStream;
  return expected === "any" ? expectedCode.any : expectedCode.streamExists;
}

/** The reverse of `noRevision`. */
export function decodeActual(revision: number): bigint | "no-stream" {
  return revision === noRevision ? "no-stream" : BigInt(revision);
}
