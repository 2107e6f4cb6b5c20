import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  type Command,
  CorruptStreamError,
  type Decider,
  type Decision,
  reject,
} from "../kernel/decider.ts";
import { outcomeLimits, type RequestEvent } from "./request.events.ts";

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

/** A request that claimed its key and has no response yet. */
export interface RunningRequest {
  readonly status: "running";
  readonly fingerprint: string;
  readonly operationId: string;
  readonly owner: string;
  /** Time when that process began the request or took it over. */
  readonly ownedSince: string;
  /** True if a second process ran the request; then nobody can rule out effects. */
  readonly takenOver: boolean;
}

/** A request with a response; it has the key for ever. */
export interface AnsweredRequest {
  readonly status: "answered";
  readonly fingerprint: string;
  readonly operationId: string;
  readonly outcome: RequestOutcome;
}

/** The exact response of a request. */
export interface RequestOutcome {
  /** HTTP status. */
  readonly status: number;
  readonly body: string;
}

export type RequestState = { readonly status: "free" } | RunningRequest | AnsweredRequest;

/**
 * Rules of an `Idempotency-Key` (stream `request-<hash of account and key>`; contract, "Conventions"). A request has one
 * response, other requests with the key are refused, and only one process runs the request at a time. The edge decides
 * whether an owner is alive, and then sends `TakeOverRequest`.
 */
export const request: Decider<RequestCommand, RequestState, RequestEvent> = {
  initialState: { status: "free" },
  decide,
  evolve,
};

function decide(command: RequestCommand, state: RequestState): Decision<RequestEvent> {
  switch (command.type) {
    case "BeginRequest":
      return begin(command, state);
    case "TakeOverRequest":
      return takeOver(command, state);
    case "AnswerRequest":
      return answer(command, state);
    case "ReleaseRequest": {
      const { operationId, at } = command.data;
      if (state.status === "free") return accept();
      // A second run of the request also found the key free and had an effect, so its response counts.
      if (state.operationId !== operationId)
        return reject("request-in-progress", "Another run of this request holds the Idempotency-Key.");
      if (state.status === "answered") return reject("idempotency-conflict", "The request was answered.");
      // The releasing process knows only its own run; the other run may have had an effect.
      if (state.takenOver) return reject("request-in-progress", "Another process runs the request.");
      return accept({ type: "RequestReleased", data: { operationId, releasedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function begin({ data }: BeginRequest, state: RequestState): Decision<RequestEvent> {
  if (state.status === "free") {
    const { accountId, fingerprint, operationId, owner, at } = data;
    return accept({
      type: "RequestBegun",
      data: { accountId, fingerprint, operationId, owner, begunAt: at },
    });
  }
  if (state.fingerprint !== data.fingerprint) return reject("idempotency-conflict");
  // A repeat of the operation that has the key: by the same process, or after its response.
  const isItsRun = state.status === "answered" || state.owner === data.owner;
  if (state.operationId === data.operationId && isItsRun) return accept();
  return reject("request-in-progress");
}

function takeOver({ data }: TakeOverRequest, state: RequestState): Decision<RequestEvent> {
  const { fingerprint, operationId, from, owner, at } = data;
  // The key was released meanwhile; the next attempt gets it.
  if (state.status === "free") return reject("request-in-progress");
  if (state.fingerprint !== fingerprint) return reject("idempotency-conflict");
  if (state.status === "answered" || state.owner === owner) return accept();
  // Another process took over the request first.
  if (state.owner !== from || state.operationId !== operationId) return reject("request-in-progress");
  return accept({ type: "RequestTakenOver", data: { operationId, owner, takenOverAt: at } });
}

function answer({ data }: AnswerRequest, state: RequestState): Decision<RequestEvent> {
  const { operationId, accountId, status, body, at } = data;
  // An operation without the key had no effect, so it may run again without a stored response.
  if (state.status === "free" || state.operationId !== operationId) return accept();
  // The first response counts; later runs of the operation cannot change it.
  if (state.status === "answered") return accept();
  const { leastStatus, greatestStatus, bodyBytes } = outcomeLimits;
  const isStorable =
    Number.isInteger(status) && status >= leastStatus && status <= greatestStatus && body.length <= bodyBytes;
  if (!isStorable) return reject("validation-failed", "The outcome is out of range.");
  return accept({ type: "RequestAnswered", data: { operationId, accountId, status, body, answeredAt: at } });
}

function evolve(state: RequestState, event: RequestEvent): RequestState {
  if (event.type === "RequestBegun") {
    if (state.status !== "free") throw new CorruptStreamError(event.type, state.status);
    const { fingerprint, operationId, owner, begunAt } = event.data;
    return { status: "running", fingerprint, operationId, owner, ownedSince: begunAt, takenOver: false };
  }
  if (state.status !== "running" || state.operationId !== event.data.operationId)
    throw new CorruptStreamError(event.type, state.status);
  switch (event.type) {
    case "RequestTakenOver":
      return { ...state, owner: event.data.owner, ownedSince: event.data.takenOverAt, takenOver: true };
    case "RequestAnswered": {
      const { fingerprint, operationId } = state;
      const { status, body } = event.data;
      return { status: "answered", fingerprint, operationId, outcome: { status, body } };
    }
    case "RequestReleased":
      return { status: "free" };
    default:
      return assertNever(event);
  }
}
