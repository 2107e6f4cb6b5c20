import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import type { AnswerRequest, BeginRequest, RequestCommand, TakeOverRequest } from "./request.commands.ts";
import { outcomeLimits, type RequestEvent } from "./request.events.ts";

/** A request that claimed its key and has not been answered. */
export interface RunningRequest {
  readonly status: "running";
  readonly fingerprint: string;
  readonly operationId: string;
  /** The process that runs it. */
  readonly owner: string;
  /** When that process began it or took it over. */
  readonly ownedSince: string;
  /** True once a second process has run it, so that nobody can say any more that it had no effect. */
  readonly takenOver: boolean;
}

/** A request that was answered: its key is taken for good. */
export interface AnsweredRequest {
  readonly status: "answered";
  readonly fingerprint: string;
  readonly operationId: string;
  readonly outcome: RequestOutcome;
}

/** What a request came to, byte for byte. */
export interface RequestOutcome {
  /** HTTP status. */
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** A key: free, or taken by a request. */
export type RequestState = { readonly status: "free" } | RunningRequest | AnsweredRequest;

/**
 * The rules of an `Idempotency-Key` (stream `request-<hash of account and key>`; contract, "Conventions"): the same request
 * has one outcome, another request is refused, and only one process runs it at a time. Whether an owner lives is no
 * fact: the edge knows it, and then says `TakeOverRequest`.
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
      // Another run of the request was told that the key is free, too, and has had an effect: its outcome is the request's.
      if (state.operationId !== operationId)
        return reject("request-in-progress", "Another run of the request has the key.");
      if (state.status === "answered") return reject("idempotency-conflict", "The request was answered.");
      // The one who gives it back knows of its own run only: the other one may have had an effect.
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
  // Its own operation, of which this is another run or another call.
  const isItsRun = state.status === "answered" || state.owner === data.owner;
  if (state.operationId === data.operationId && isItsRun) return accept();
  return reject("request-in-progress");
}

function takeOver({ data }: TakeOverRequest, state: RequestState): Decision<RequestEvent> {
  const { fingerprint, operationId, from, owner, at } = data;
  // Released meanwhile: whoever asks again gets it.
  if (state.status === "free") return reject("request-in-progress");
  if (state.fingerprint !== fingerprint) return reject("idempotency-conflict");
  if (state.status === "answered" || state.owner === owner) return accept();
  // Someone was quicker.
  if (state.owner !== from || state.operationId !== operationId) return reject("request-in-progress");
  return accept({ type: "RequestTakenOver", data: { operationId, owner, takenOverAt: at } });
}

function answer({ data }: AnswerRequest, state: RequestState): Decision<RequestEvent> {
  const { operationId, accountId, status, body, at } = data;
  // An operation that does not hold the key had no effect: there is nothing to keep, and it may be run again.
  if (state.status === "free" || state.operationId !== operationId) return accept();
  // The first outcome stands, whatever a later run of the same operation says.
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
