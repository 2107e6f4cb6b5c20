import { readMetadata } from "@hostledger/core";

/** The command that an event came of, as traces know it. */
export interface EventOrigin {
  /** What everything that one request caused has in common. */
  readonly correlationId: string;
  /** Names what was done for the command: the span while it is decided, and for ever that of its append. */
  readonly command: string;
}

/** Names a command to a stream: one command may go to several. */
export function commandName(stream: string, commandId: string): string {
  return `${stream} ${commandId}`;
}

/** @returns undefined for facts of others, which belong to no trace. */
export function originOf({
  stream,
  metadata,
}: {
  readonly stream: string;
  readonly metadata: string;
}): EventOrigin | undefined {
  try {
    const { correlationId, commandId } = readMetadata(metadata);
    return { correlationId, command: commandName(stream, commandId) };
  } catch {
    return undefined;
  }
}
