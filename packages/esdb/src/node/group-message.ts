import type { ResolvedEvent } from "../codec/read-answer.codec.ts";

/** A message on its way to a consumer, or waiting to be given again. */
export interface GroupMessage {
  readonly resolved: ResolvedEvent;
  /** What acknowledgements name it by: the link's id, or the event's. */
  readonly id: string;
  /** Its revision (of a stream) or position (of `$all`), and that of the event before it. */
  readonly at: bigint;
  readonly before: bigint;
  /** A parked message given again: it moves no checkpoint. */
  readonly replayed: boolean;
  retries: number;
}
