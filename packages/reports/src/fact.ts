/** A stored fact, as the event store and the audit log give it. */
export interface Fact {
  readonly stream: string;
  /** Its place in its stream, from 0. */
  readonly revision: bigint;
  /** UUID. */
  readonly id: string;
  /** With its version: `BalanceCharged.v1`. */
  readonly type: string;
  /** When it was stored: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
  /** A clause on why the fact cannot follow those before it in its stream; absent where it can. */
  readonly contradiction?: string;
}

/** A fact that a report goes on without, because nobody can read it. */
export interface UnreadableFact extends Pick<Fact, "stream" | "id"> {
  /** Names the fact and says why it cannot be read. */
  readonly sentence: string;
}

/** Hears of each fact that a report goes on without. */
export type OnUnreadable = (fact: UnreadableFact) => void;

/** Facts one after the other, in the order of their stream or of the log. */
export type Facts = Iterable<Fact> | AsyncIterable<Fact>;

/** Who acted, and the request that led to it. */
export interface Origin {
  /** For example `account:7`, `staff` or `process:registration-…`; empty where the metadata does not tell. */
  readonly actor: string;
  readonly requestId: string | undefined;
  /** One for everything that a request or a run caused: the request's id where it is not written. */
  readonly correlationId: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Reads who acted. Metadata is no part of the books, so what is missing in it is told as missing. */
export function originOf({ metadata }: Fact): Origin {
  const members = parseMembers(metadata);
  const requestId = textMember(members, "requestId");
  return {
    actor: textMember(members, "actor") ?? "",
    requestId,
    correlationId: textMember(members, "correlationId") ?? requestId,
    idempotencyKey: textMember(members, "idempotencyKey"),
  };
}

/** The type without its version: `BalanceCharged`. */
export function bareType({ type }: Pick<Fact, "type">): string {
  return type.replace(/\.v\d+$/u, "");
}

/** The members of a JSON object; of nothing where the text is none. */
export function parseMembers(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A member that holds something; undefined where there is none. */
export function member(members: object, name: string): unknown {
  return Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
}

/** A member that holds text; undefined where there is none. */
export function textMember(members: object, name: string): string | undefined {
  const value = member(members, name);
  return typeof value === "string" ? value : undefined;
}

/** A member that holds a number; undefined where there is none. */
export function numberMember(members: object, name: string): number | undefined {
  const value = member(members, name);
  return typeof value === "number" ? value : undefined;
}
