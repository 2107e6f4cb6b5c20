import type { AnswerRequest, BeginRequest, ReleaseRequest, TakeOverRequest } from "./request.decider.ts";
import type { RequestAnswered, RequestBegun, RequestReleased, RequestTakenOver } from "./request.events.ts";

/** Examples of requests' commands and events, for specs: account 7, run by the process `one`. */

export const at = "2026-03-01T10:00:00.000000Z";
export const later = "2026-03-01T10:00:05.000000Z";
export const fingerprint = "ab".repeat(32);
export const otherFingerprint = "cd".repeat(32);

export function begin(data: Partial<BeginRequest["data"]> = {}): BeginRequest {
  return {
    type: "BeginRequest",
    data: { accountId: 7, fingerprint, operationId: "operation-1", owner: "one", at, ...data },
  };
}

export function begun(data: Partial<RequestBegun["data"]> = {}): RequestBegun {
  return {
    type: "RequestBegun",
    data: { accountId: 7, fingerprint, operationId: "operation-1", owner: "one", begunAt: at, ...data },
  };
}

/** The process `two` takes over the request of `one`. */
export function takeOver(data: Partial<TakeOverRequest["data"]> = {}): TakeOverRequest {
  return {
    type: "TakeOverRequest",
    data: { fingerprint, operationId: "operation-1", from: "one", owner: "two", at: later, ...data },
  };
}

export function takenOver(data: Partial<RequestTakenOver["data"]> = {}): RequestTakenOver {
  return {
    type: "RequestTakenOver",
    data: { operationId: "operation-1", owner: "two", takenOverAt: later, ...data },
  };
}

export function answer(data: Partial<AnswerRequest["data"]> = {}): AnswerRequest {
  return {
    type: "AnswerRequest",
    data: {
      operationId: "operation-1",
      accountId: 7,
      status: 201,
      body: '{"status":true}',
      at: later,
      ...data,
    },
  };
}

export function answered(data: Partial<RequestAnswered["data"]> = {}): RequestAnswered {
  return {
    type: "RequestAnswered",
    data: {
      operationId: "operation-1",
      accountId: 7,
      status: 201,
      body: '{"status":true}',
      answeredAt: later,
      ...data,
    },
  };
}

export function release(data: Partial<ReleaseRequest["data"]> = {}): ReleaseRequest {
  return { type: "ReleaseRequest", data: { operationId: "operation-1", at: later, ...data } };
}

export function released(data: Partial<RequestReleased["data"]> = {}): RequestReleased {
  return { type: "RequestReleased", data: { operationId: "operation-1", releasedAt: later, ...data } };
}
