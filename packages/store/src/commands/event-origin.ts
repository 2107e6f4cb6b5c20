import { readMetadata } from "@hostledger/core";

/** The command of an event, as named in traces. */
export interface EventOrigin {
  readonly correlationId: string;
  /** Name of the span of the command's decision and of its append. */
  readonly command: string;
}

/** Names a command on one stream, because one command may go to several. */
export function commandName(stream: string, commandId: string): string {
  return `${stream} ${commandId}`;
}

/** @returns undefined for events of other programs, which have no trace. */
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
