import type { RequestClaim, StoredMember } from "@hostledger/core";

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
