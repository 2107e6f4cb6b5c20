import type { RequestClaim, StoredMember } from "@hostledger/core";

/** Actor and cause of a command, stored with its events. */
export interface CommandContext {
  /** Id of the command: a repeated command adds events with the same ids. */
  readonly commandId: string;
  /** Common id of everything that a request or a process run caused. */
  readonly correlationId: string;
  /** The message that led to this command. Default: the command itself. */
  readonly causationId?: string;
  /** The acting party, for example `account:7`, `staff` or `process:registration-…`. */
  readonly actor: string;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
  /** Taken before the first event of the command is stored. Not stored itself. */
  readonly claim?: RequestClaim;
  /**
   * Last revision that the stream must have; otherwise the command is refused with `precondition-failed`. -1: the stream
   * must not exist. `repeat`: the command may only find that it was carried out before. Not stored itself.
   */
  readonly expectedRevision?: bigint | "repeat";
}

/**
 * Writes the metadata of a command's events as JSON text. Values that follow from other members are left out, because
 * every event would repeat them: a `correlationId` equal to the request's, a `causationId` equal to the command's. If a
 * `commandId` begins with its cause, only the remainder is stored, as `step`.
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
