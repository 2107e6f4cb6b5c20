import { addMilliseconds, serverAggregate, type ServerCommand } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import type { Projector } from "@hostledger/projections";
import { shown } from "@hostledger/projections";
import type { Clock, Logger } from "@hostledger/runtime";

import type { ServerQueries, ServerRow } from "../reads/server.queries.ts";
import type { NodeReconciler } from "./node-reconciler.ts";

/** What the life cycle works with. */
export interface LifeCycleOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly queries: Pick<ServerQueries, "expiredServers" | "dueCancellations" | "idleServers">;
  readonly projector: Pick<Projector, "waitFor">;
  readonly nodes: Pick<NodeReconciler, "settle" | "doubt">;
  readonly logger: Logger;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
  /** Days for which a server is kept after it expired. */
  readonly terminationDays: number;
}

/** Suspends servers when their paid time is over, and ends them when nobody renews them. */
export interface LifeCycle {
  /**
   * Ends every server that was cancelled and has expired by now, suspends the others that have, and ends those that did so
   * too long ago. Their nodes are told. @returns how many were suspended or ended.
   */
  runDueWork(signal?: AbortSignal): Promise<number>;
  /** Does so again and again until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Servers worked on together. */
const batchSize = 100;

/** How often servers are looked for, in milliseconds. */
const roundMs = 1_000;

const dayMs = 86_400_000;

/** One kind of work: which servers it is about, and what is done for each. @returns whether anything was. */
interface Duty {
  readonly due: (now: string) => Promise<readonly ServerRow[]>;
  readonly work: (server: ServerRow) => Promise<boolean>;
}

/**
 * Creates the life cycle. It is driven by what is so, not by what happened: whatever expired while nobody was looking is
 * found by the next look. The server's own rules decide, so that a renewal that came first wins, and nothing is suspended
 * twice whoever looks at the same time.
 */
export function createLifeCycle(options: LifeCycleOptions): LifeCycle {
  const { clock, queries, nodes, terminationDays, isTimeTrusted = () => true } = options;
  const suspend = async ({ id, expiry_date }: ServerRow): Promise<boolean> => {
    const cause = `expiry-${String(id)}-${expiry_date}`;
    const data = { reason: "expired", at: clock.now() } as const;
    const isDone = await command(options, id, cause, { type: "SuspendServer", data });
    // A node that cannot be told now is tried again until it is as the facts say.
    if (isDone) await nodes.settle(id);
    return isDone;
  };
  const end = async ({ id, expiry_date }: ServerRow): Promise<boolean> => {
    const changeId = `end-${String(id)}-${expiry_date}`;
    const data = { changeId, terminationDays, at: clock.now() };
    const isDone = await command(options, id, changeId, { type: "EndServer", data });
    if (isDone) nodes.doubt(id);
    return isDone;
  };
  const duties: readonly Duty[] = [
    { due: (now) => queries.dueCancellations(now, batchSize), work: end },
    { due: (now) => queries.expiredServers(now, batchSize), work: suspend },
    {
      due: (now) => queries.idleServers(addMilliseconds(now, -terminationDays * dayMs), batchSize),
      work: end,
    },
  ];

  /** Batch by batch. */
  async function fulfil({ due, work }: Duty, signal: AbortSignal | undefined): Promise<number> {
    let total = 0;
    for (;;) {
      if (!isTimeTrusted()) return total;
      const servers = await due(clock.now());
      const done = (await Promise.all(servers.map(work))).filter(Boolean).length;
      total += done;
      // Where nothing could be done, the next round tries again: this one would turn in circles.
      if (done === 0 || servers.length < batchSize || signal?.aborted === true) return total;
    }
  }

  async function runDueWork(signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (const duty of duties) total += await fulfil(duty, signal);
    return total;
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

/** Gives a server a command, and waits until reads show what came of it. @returns whether it changed anything. */
async function command(
  { commands, logger, projector }: LifeCycleOptions,
  serverId: number,
  cause: string,
  given: ServerCommand,
): Promise<boolean> {
  const executed = await commands.execute(serverAggregate, String(serverId), given, {
    commandId: `${cause}/${given.type}`,
    correlationId: cause,
    actor: "system",
  });
  if (!executed.accepted) {
    const { code } = executed.rejection;
    logger.error({ server: serverId, command: given.type, code }, "a step of a server's life was refused");
    return false;
  }
  await shown(projector, executed);
  return executed.events.length > 0;
}
