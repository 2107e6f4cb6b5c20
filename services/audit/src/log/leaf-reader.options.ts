import type { EventStore } from "@hostledger/event-store";

import type { Follower } from "./follower.ts";
import type { AuditLogError, LogContradictionError } from "./log-error.ts";
import type { PositionsMender } from "./positions-mender.ts";
import type { PublisherParts } from "./publisher.ts";

/** What the leaves are read with. */
export interface LeafReaderOptions {
  readonly store: EventStore;
  readonly parts: Pick<PublisherParts, "edge" | "tiles" | "positions">;
  readonly follower: Pick<Follower, "position">;
  /** Makes the positions anew where those of a bundle are wrong; true when looking again is worth while. */
  readonly mend: PositionsMender["mend"];
  /** Aborted when the log closes. */
  readonly closing: AbortSignal;
  /** Why the log has stopped; undefined while it goes on. */
  readonly stopped: () => AuditLogError | undefined;
  /** Told that the store is not what the log has recorded. */
  readonly onContradiction: (error: LogContradictionError) => void;
}
