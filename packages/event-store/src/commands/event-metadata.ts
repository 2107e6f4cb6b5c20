import { UndecodableEventError } from "@hostledger/core";
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
}

/** What is stored beside an event's data. */
export interface EventMetadata extends CommandContext {
  readonly causationId: string;
  /** The program and version that wrote the event. */
  readonly recordedBy: string;
}

/** The metadata of a command's events as JSON text. */
export function writeMetadata(context: CommandContext, recordedBy: string): string {
  const { commandId, correlationId, causationId = commandId, actor, requestId, idempotencyKey } = context;
  const metadata: Record<keyof EventMetadata, string | undefined> = {
    correlationId,
    causationId,
    actor,
    requestId,
    idempotencyKey,
    recordedBy,
    commandId,
  };
  return JSON.stringify(metadata);
}

/** Reads stored metadata; members this version does not know are left out. @throws UndecodableEventError */
export function readMetadata(text: string): EventMetadata {
  const members = parseObject(text);
  const requestId = optionalText(members, "requestId");
  const idempotencyKey = optionalText(members, "idempotencyKey");
  return {
    correlationId: requiredText(members, "correlationId"),
    causationId: requiredText(members, "causationId"),
    actor: requiredText(members, "actor"),
    ...defined({ requestId, idempotencyKey }),
    recordedBy: requiredText(members, "recordedBy"),
    commandId: requiredText(members, "commandId"),
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

function requiredText(
  members: Partial<Record<keyof EventMetadata, unknown>>,
  name: keyof EventMetadata,
): string {
  return optionalText(members, name) ?? refuse(`${name} is missing`);
}

function optionalText(
  members: Partial<Record<keyof EventMetadata, unknown>>,
  name: keyof EventMetadata,
): string | undefined {
  const value = members[name];
  return value === undefined || typeof value === "string" ? value : refuse(`${name} is not a text`);
}

function refuse(reason: string): never {
  throw new UndecodableEventError(`event metadata: ${reason}`);
}
