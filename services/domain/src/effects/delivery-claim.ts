import type { Hold, Reconciler } from "@hostledger/work";

/** A delivery that is kept for one request. */
export interface DeliveryClaim {
  /** Begins to keep it from everybody else, and waits for nothing. */
  take(): void;
  /** What keeps it; undefined where it was not taken, or somebody else has it. Never rejects. */
  held(): Promise<Hold | undefined>;
  /** Lets it go, unless the delivery has begun. Never rejects. */
  release(): Promise<void>;
}

/** Nothing is taken yet. @param reconciler of deliveries. */
export function claimOf(reconciler: Reconciler<string>, name: string): DeliveryClaim {
  let holding: Promise<Hold | undefined> | undefined;
  return {
    take() {
      holding ??= reconciler.acquire(name, 0).catch(() => undefined);
    },
    held: () => holding ?? Promise.resolve(undefined),
    async release() {
      const hold = await holding;
      if (reconciler.pursuitOf(name) === undefined) hold?.release();
    },
  };
}
