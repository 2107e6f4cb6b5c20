import { serverAggregate } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import type { Projector } from "@hostledger/projections";
import { shown } from "@hostledger/projections";
import type { Clock, Logger } from "@hostledger/runtime";

import type { ServerQueries } from "../reads/server.queries.ts";
import type { NodeReconciler } from "./node-reconciler.ts";

/** What the life cycle works with. */
export interface LifeCycleOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly queries: Pick<ServerQueries, "expiredServers">;
  readonly projector: Pick<Projector, "waitFor">;
  readonly nodes: Pick<NodeReconciler, "settle">;
  readonly logger: Logger;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
}

/** Suspends servers when their paid time is over. */
export interface LifeCycle {
  /** Suspends every server that has expired by now, and tells its node. @returns how many were suspended. */
  runDueWork(signal?: AbortSignal): Promise<number>;
  /** Does so again and again until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Servers suspended together. */
const batchSize = 100;

/** How often expired servers are looked for, in milliseconds. */
const roundMs = 1_000;

/**
 * Creates the life cycle. It is driven by what is so, not by what happened: whatever expired while nobody was looking is
 * found by the next look. The server's own rules decide, so that a renewal that came first wins, and nothing is suspended
 * twice whoever looks at the same time.
 */
export function createLifeCycle(options: LifeCycleOptions): LifeCycle {
  const { commands, clock, queries, projector, nodes, logger } = options;
  const { isTimeTrusted = () => true } = options;

  async function suspend(serverId: number, expiryDate: string): Promise<boolean> {
    const cause = `expiry-${String(serverId)}-${expiryDate}`;
    const executed = await commands.execute(
      serverAggregate,
      String(serverId),
      { type: "SuspendServer", data: { reason: "expired", at: clock.now() } },
      { commandId: `${cause}/SuspendServer`, correlationId: cause, actor: "system" },
    );
    if (!executed.accepted) {
      logger.error(
        { server: serverId, code: executed.rejection.code },
        "an expired server was not suspended",
      );
      return false;
    }
    await shown(projector, executed);
    // A node that cannot be told now is tried again until it is as the facts say.
    if (executed.events.length > 0) await nodes.settle(serverId);
    return executed.events.length > 0;
  }

  async function runDueWork(signal?: AbortSignal): Promise<number> {
    let suspended = 0;
    for (;;) {
      if (!isTimeTrusted()) return suspended;
      const due = await queries.expiredServers(clock.now(), batchSize);
      const answers = await Promise.all(due.map(({ id, expiry_date }) => suspend(id, expiry_date)));
      const done = answers.filter(Boolean).length;
      suspended += done;
      // Where nobody could be suspended, the next round tries again: this one would turn in circles.
      if (done === 0 || due.length < batchSize || signal?.aborted === true) return suspended;
    }
  }

  return {
    runDueWork,
    async run(signal) {
      while (!signal.aborted) {
        await runDueWork(signal);
        await clock.sleep(roundMs, signal);
      }
    },
  };
}
