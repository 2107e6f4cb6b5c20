/** Claims a key for a request, or asks what the request that claimed it came to. */
export interface BeginRequest {
  readonly type: "BeginRequest";
  readonly data: {
    readonly accountId: number;
    /** SHA-256 over method, path and body, in hex. */
    readonly fingerprint: string;
    /** Names the operation if the key is free. */
    readonly operationId: string;
    /** The process that asks. */
    readonly owner: string;
    readonly at: string;
  };
}

/** Lets another process run the request again, since its owner is held for dead. */
export interface TakeOverRequest {
  readonly type: "TakeOverRequest";
  readonly data: {
    readonly fingerprint: string;
    readonly operationId: string;
    /** The owner that is held for dead: another one since then is not overtaken. */
    readonly from: string;
    readonly owner: string;
    readonly at: string;
  };
}

/** Keeps what a request came to. */
export interface AnswerRequest {
  readonly type: "AnswerRequest";
  readonly data: {
    readonly operationId: string;
    readonly accountId: number;
    readonly status: number;
    readonly body: string;
    readonly at: string;
  };
}

/** Gives the key back: the request failed before it had any effect. */
export interface ReleaseRequest {
  readonly type: "ReleaseRequest";
  readonly data: { readonly operationId: string; readonly at: string };
}

/** Everything that can be asked of a key. */
export type RequestCommand = BeginRequest | TakeOverRequest | AnswerRequest | ReleaseRequest;
