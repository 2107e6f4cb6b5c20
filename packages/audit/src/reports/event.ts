/** A stored event from the event store or the audit log. */
export interface Event {
  readonly stream: string;
  /** Revision of the event in its stream, from 0. */
  readonly revision: bigint;
  /** UUID. */
  readonly id: string;
  /** Stored type with version: `BalanceCharged.v1`. */
  readonly type: string;
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** JSON text. */
  readonly data: string;
  readonly metadata: string;
  /** Reason why the event does not count in its stream; absent if it counts. */
  readonly leftOut?: string;
}

/** Receives a sentence about each event that a report omits. */
export type OnUnreadable = (sentence: string) => void;

/** Events in the order of their stream or of `$all`. */
export type Events = Iterable<Event> | AsyncIterable<Event>;

/** The acting person or program and its request. */
export interface Origin {
  /** For example `account:7`, `staff` or `process:registration-…`; empty if the metadata has none. */
  readonly actor: string;
  readonly requestId: string | undefined;
  /** Id shared by all events of a request or run; the request's id if it is not stored. */
  readonly correlationId: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Reads the origin from metadata, which may be incomplete because it is not part of the books. */
export function originOf({ metadata }: Event): Origin {
  const members = parseMembers(metadata);
  const requestId = textMember(members, "requestId");
  return {
    actor: textMember(members, "actor") ?? "",
    requestId,
    correlationId: textMember(members, "correlationId") ?? requestId,
    idempotencyKey: textMember(members, "idempotencyKey"),
  };
}

/** Returns the type without its version: `BalanceCharged`. */
export function bareType({ type }: Pick<Event, "type">): string {
  return type.replace(/\.v\d+$/u, "");
}

/** Parses a JSON object; returns an empty object for other text. */
export function parseMembers(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

export function member(members: object, name: string): unknown {
  return Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
}

export function textMember(members: object, name: string): string | undefined {
  const value = member(members, name);
  return typeof value === "string" ? value : undefined;
}

export function numberMember(members: object, name: string): number | undefined {
  const value = member(members, name);
  return typeof value === "number" ? value : undefined;
}
