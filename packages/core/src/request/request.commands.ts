import type { Command } from "../kernel/decider.ts";

/** Claims a key for a request, in front of its first effect. */
export type BeginRequest = Command<
  "BeginRequest",
  {
    readonly accountId: number;
    /** SHA-256 over method, path and body, in hex. */
    readonly fingerprint: string;
    /** Names the operation: another one of the same request has to wait for it. */
    readonly operationId: string;
    /** The process that asks. */
    readonly owner: string;
  }
>;

/** Lets another process run the request again, since its owner is held for dead. */
export type TakeOverRequest = Command<
  "TakeOverRequest",
  {
    readonly fingerprint: string;
    readonly operationId: string;
    /** The owner that is held for dead: another one since then is not overtaken. */
    readonly from: string;
    readonly owner: string;
  }
>;

/** Keeps what a request came to that has claimed its key. */
export type AnswerRequest = Command<
  "AnswerRequest",
  {
    readonly operationId: string;
    readonly accountId: number;
    readonly status: number;
    readonly body: string;
  }
>;

/** Gives the key back: the request failed before it had any effect. */
export type ReleaseRequest = Command<"ReleaseRequest", { readonly operationId: string }>;

/** Everything that can be asked of a key. */
export type RequestCommand = BeginRequest | TakeOverRequest | AnswerRequest | ReleaseRequest;
