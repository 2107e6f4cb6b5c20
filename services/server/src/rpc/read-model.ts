import type { Projector } from "@hostledger/projections";

/** How long an answer waits for the service's own read models, in milliseconds. */
export const readModelWaitMs = 5_000;

/** Waits until the read models show what was done: a client reads its own writes. */
export async function shown(
  projector: Projector,
  { position }: { readonly position: bigint | undefined },
): Promise<void> {
  if (position !== undefined) await projector.waitFor(position, readModelWaitMs);
}
