import { rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";
import { openCallScope } from "../transport/call-scope.ts";

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
  const scope = openCallScope(undefined, {
    limitMs,
    reason: () => rejectionError(rejection("deadline-exceeded")),
  });
  try {
    const { ready, parts } = await scope.race(ask());
    return phase === "serving" ? { ready, parts } : { ready: false, parts: { ...parts, listener: phase } };
  } catch (error) {
    logger.error({ err: error }, "the parts did not tell whether they are ready");
    return { ready: false, parts: { listener: phase, readiness: "unknown" } };
  } finally {
    scope.close();
  }
}
