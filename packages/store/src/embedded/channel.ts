/**
 * Messages between the main thread and the writer thread. Structured cloning costs per object, so one message carries
 * many appends as a few flat arrays. Revisions and positions are numbers (exact up to 2^53).
 */

import type { ExpectedRevision } from "../event-store.port.ts";

/** The appends of one turn of the main thread's event loop, in order. */
export interface AppendRequest {
  readonly kind: "append";
  /** Time of arrival: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** One time per append, if some appends have their own. */
  readonly times?: string[];
  readonly streams: string[];
  /** One entry per append: a revision or a value of `expectedCode`. */
  readonly expected: number[];
  readonly counts: number[];
  /** Four texts per event of all appends: id, type, data, metadata. */
  readonly fields: string[];
}

/** Opens a file; all requests until the next close apply to it. */
export interface OpenRequest {
  readonly kind: "open";
  readonly path: string;
}

/** Finishes earlier requests, then closes the file. */
export interface CloseRequest {
  readonly kind: "close";
}

export type WriterRequest = OpenRequest | AppendRequest | CloseRequest;

export interface ReadyAnswer {
  readonly kind: "ready";
}

/** The transaction with the next `requests` unanswered requests is on disk. */
export interface CommittedAnswer {
  readonly kind: "committed";
  readonly requests: number;
  /** One revision per append: of its last event, or for a refused append the stream's last revision or `noRevision`. */
  readonly revisions: number[];
  /** One position per append: of its last event, or `refused`. */
  readonly positions: number[];
}

/** The disk is full: nothing of the next `requests` unanswered requests was stored. Later requests are tried again. */
export interface FullAnswer {
  readonly kind: "full";
  readonly requests: number;
}

/** Everything is written and the file is closed. The thread can open another file. */
export interface ClosedAnswer {
  readonly kind: "closed";
}

/** Opening, inserting, committing or syncing failed. The thread writes nothing more and ends. */
export interface FailedAnswer {
  readonly kind: "failed";
  readonly message: string;
}

export type WriterAnswer = ReadyAnswer | CommittedAnswer | FullAnswer | ClosedAnswer | FailedAnswer;

/** Codes of expectations without a revision, with EventStoreDB's numbers. */
export const expectedCode = { noStream: -1, any: -2, streamExists: -4 } as const;

/** Revision code of a stream that does not exist. */
export const noRevision = -1;

/** Position code of an append refused for its expected revision. Real positions start at 1. */
export const refused = 0;

/** Encodes an expectation. A revision beyond 2^53 is beyond every stream, so rounding changes no answer. */
export function encodeExpected(expected: ExpectedRevision): number {
  if (typeof expected === "bigint") return Number(expected);
  if (expected === "no-stream") return expectedCode.noStream;
  return expected === "any" ? expectedCode.any : expectedCode.streamExists;
}

/** Decodes an actual revision; `noRevision` becomes `no-stream`. */
export function decodeActual(revision: number): bigint | "no-stream" {
  return revision === noRevision ? "no-stream" : BigInt(revision);
}
