import { UndecodableEventError } from "./event-codec.ts";

export interface EventMetadata {
  /** Id of the command; a repeated command gives its events the same ids. */
  readonly commandId: string;
  /** Id shared by all events that one request or one process run caused. */
  readonly correlationId: string;
  /** Id of the message that led to the command. */
  readonly causationId: string;
  /** The acting person or program, for example `account:7`, `staff` or `process:registration-…`. */
  readonly actor: string;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
  /** The program and version that wrote the event. */
  readonly recordedBy: string;
}

/** A stored member; `step` is the end of a `commandId` that begins with its `causationId`. */
export type StoredMember = keyof EventMetadata | "step";

/** Reads stored metadata, old forms included; skips unknown members. @throws UndecodableEventError if one is missing. */
export function readMetadata(text: string): EventMetadata {
  const members = parseObject(text);
  const requestId = optionalText(members, "requestId");
  const idempotencyKey = optionalText(members, "idempotencyKey");
  const step = optionalText(members, "step");
  const commandId =
    step === undefined
      ? requiredText(members, "commandId")
      : `${requiredText(members, "causationId")}/${step}`;
  return {
    correlationId: optionalText(members, "correlationId") ?? requestId ?? refuse("correlationId is missing"),
    causationId: optionalText(members, "causationId") ?? commandId,
    actor: requiredText(members, "actor"),
    ...(requestId === undefined ? {} : { requestId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    recordedBy: requiredText(members, "recordedBy"),
    commandId,
  };
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("it is not JSON");
  }
  return typeof value === "object" && value !== null ? value : refuse("it is not a JSON object");
}

type Members = Partial<Record<StoredMember, unknown>>;

function requiredText(members: Members, name: StoredMember): string {
  return optionalText(members, name) ?? refuse(`${name} is missing`);
}

function optionalText(members: Members, name: StoredMember): string | undefined {
  const value = members[name];
  return value === undefined || typeof value === "string" ? value : refuse(`${name} is not a text`);
}

function refuse(reason: string): never {
  throw new UndecodableEventError(`event metadata: ${reason}`);
}

/** Returns true for metadata that any version of Hostledger wrote: it names `actor` and `recordedBy`. */
export function isOwnMetadata(text: string): boolean {
  try {
    const members: Members = parseObject(text);
    return typeof members.actor === "string" && typeof members.recordedBy === "string";
  } catch (error) {
    if (error instanceof UndecodableEventError) return false;
    throw error;
  }
}
