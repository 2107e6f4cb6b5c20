import { within } from "@hostledger/runtime/async";

import type { RpcLogger } from "../interceptors/logger.port.ts";

/** Readiness of a process, with the state of each part in a word. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** Phase of a listener. It accepts calls only while `serving`. */
export type ListenerPhase = "starting" | "serving" | "stopping";

/** Time limit for the states of the parts, in milliseconds. */
const limitMs = 5000;

/** Returns the answer of `/readyz`: a listener that does not serve is not ready, whatever its parts report. */
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
