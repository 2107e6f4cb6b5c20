import { within } from "@hostledger/runtime/async";

import type { RpcLogger } from "../interceptors/logger.port.ts";

/** Whether a process can do its work, each of its parts with a word for its state. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** Where a listener is in its life. It takes calls only while it is `serving`. */
export type ListenerPhase = "starting" | "serving" | "stopping";

/** How long the parts may take to tell their state, in milliseconds. */
const limitMs = 5000;

/** What `/readyz` says: a listener that does not serve is not ready, whatever its parts say. */
export async function readinessIn(
  phase: ListenerPhase,
  ask: () => Promise<Readiness>,
  logger: RpcLogger,
): Promise<Readiness> {
  try {
    const { ready, parts } = await within(limitMs, ask(), late);
    return phase === "serving" ? { ready, parts } : { ready: false, parts: { ...parts, listener: phase } };
  } catch (error) {
    logger.error({ err: error }, "the parts did not tell whether they are ready");
    return { ready: false, parts: { listener: phase, readiness: "unknown" } };
  }
}

function late(): never {
  throw new Error(`the parts took more than ${String(limitMs)} ms`);
}
