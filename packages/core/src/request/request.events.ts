/**
 * What became of a request that carries an `Idempotency-Key` (stream `request-<hash of account and key>`; contract,
 * "Conventions"). A key is kept for good.
 */

/** The key was claimed by a request, which is now running. */
export interface RequestBegun {
  readonly type: "RequestBegun";
  readonly data: {
    readonly accountId: number;
    /** SHA-256 over method, path and body, in hex. */
    readonly fingerprint: string;
    /** Names the operation: all effects of the request are derived from it, so that running it again repeats none. */
    readonly operationId: string;
    /** The process that runs it. */
    readonly owner: string;
    readonly begunAt: string;
  };
}

/** Another process runs the request again, since its owner died before it had answered. */
export interface RequestTakenOver {
  readonly type: "RequestTakenOver";
  readonly data: { readonly operationId: string; readonly owner: string; readonly takenOverAt: string };
}

/** The request was answered: every repeat gets these bytes. */
export interface RequestAnswered {
  readonly type: "RequestAnswered";
  readonly data: {
    readonly operationId: string;
    /** Whose request it was; null where the fact was stored before it said so. */
    readonly accountId: number | null;
    readonly status: number;
    readonly body: string;
    readonly answeredAt: string;
  };
}

/** The request failed before it had any effect: the key may be used again. */
export interface RequestReleased {
  readonly type: "RequestReleased";
  readonly data: { readonly operationId: string; readonly releasedAt: string };
}

/** Everything that happens to a key. */
export type RequestEvent = RequestBegun | RequestTakenOver | RequestAnswered | RequestReleased;
