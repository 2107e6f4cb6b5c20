import { UndecodableEventError, type RequestClaim } from "@hostledger/core";
import { defined } from "@hostledger/runtime";

/** Who sent a command and why: the context that its events keep. */
export interface CommandContext {
  /** Names the command: events of a repeated command get the same ids. */
  readonly commandId: string;
  /** One for everything that a request or a process run caused. */
  readonly correlationId: string;
  /** The message that led to this command. Default: the command itself. */
  readonly causationId?: string;
  /** Who acts, for example `account:7`, `staff` or `process:registration-…`. */
  readonly actor: string;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
  /** Taken before the first fact of the command is stored. Not stored itself. */
  readonly claim?: RequestClaim;
  /**
   * The stream's last revision that the command is for; on any other it is refused with `precondition-failed`. -1 where there is
   * no stream yet; `repeat` where it may only find that it was carried out before. Not stored itself.
   */
  readonly expectedRevision?: bigint | "repeat";
}

/** What is stored beside an event's data. */
export interface EventMetadata extends Omit<CommandContext, "claim" | "expectedRevision"> {
  readonly causationId: string;
  /** The program and version that wrote the event. */
  readonly recordedBy: string;
}

/** As it is stored. */
type StoredMember = keyof EventMetadata | "step";

/**
 * The metadata of a command's events as JSON text. What another member says is left out, since it would stand in every
 * event: a `correlationId` that is the request's, a `causationId` that is the command's own, and of a `commandId` what it
 * begins with where that is its cause, as a process names its commands: `step` is the rest.
 */
export function writeMetadata(context: CommandContext, recordedBy: string): string {
  const { commandId, correlationId, causationId = commandId, actor, requestId, idempotencyKey } = context;
  const isStep = commandId.startsWith(`${causationId}/`);
  const metadata: Record<StoredMember, string | undefined> = {
    correlationId: correlationId === requestId ? undefined : correlationId,
    causationId: causationId === commandId ? undefined : causationId,
    actor,
    requestId,
    idempotencyKey,
    recordedBy,
    commandId: isStep ? undefined : commandId,
    step: isStep ? commandId.slice(causationId.length + 1) : undefined,
  };
  return JSON.stringify(metadata);
}

/**
 * Reads stored metadata, also of the time when every member was written; members this version does not know are left out.
 * @throws UndecodableEventError
 */
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
    ...defined({ requestId, idempotencyKey }),
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
