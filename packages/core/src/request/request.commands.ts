import type { Command } from "../kernel/decider.ts";

/** Claims a key for a request, before its first effect. */
export type BeginRequest = Command<
  "BeginRequest",
  {
    readonly accountId: number;
    readonly fingerprint: string;
    /** Id of the operation; another operation with this key must wait. */
    readonly operationId: string;
    readonly owner: string;
  }
>;

/** Lets another process run the request again, because its owner is presumed dead. */
export type TakeOverRequest = Command<
  "TakeOverRequest",
  {
    readonly fingerprint: string;
    readonly operationId: string;
    /** The presumed dead owner; the command is refused if another process took over since then. */
    readonly from: string;
    readonly owner: string;
  }
>;

export type AnswerRequest = Command<
  "AnswerRequest",
  {
    readonly operationId: string;
    readonly accountId: number;
    readonly status: number;
    readonly body: string;
  }
>;

/** Releases the key of a request that failed before its first effect. */
export type ReleaseRequest = Command<"ReleaseRequest", { readonly operationId: string }>;

export type RequestCommand = BeginRequest | TakeOverRequest | AnswerRequest | ReleaseRequest;
