import {
  addMilliseconds,
  daysAfterHold,
  isServerRenewalDue,
  nextServerRenewal,
  serverAggregate,
  type ServerCommand,
} from "@hostledger/core";
import { unlessUnreadable, type Accounts, type CommandHandler } from "@hostledger/event-store";
import { createPayers, type Payers } from "@hostledger/process-manager";
import { shown, type Projector } from "@hostledger/projections";
import { defined, pagesById, type Clock, type Logger } from "@hostledger/runtime";

import type { ServerQueries, ServerRow } from "../reads/server.queries.ts";
import type { NodeReconciler } from "./node-reconciler.ts";
import { beginRenewal } from "./server-renewals.ts";
import type { ServerRenewals } from "./server-runs.ts";

/** What the life cycle works with. */
export interface LifeCycleOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly queries: Pick<
    ServerQueries,
    "expiredServers" | "dueCancellations" | "idleServers" | "dueRenewals" | "unpaidRenewals"
  >;
  readonly renewals: Pick<ServerRenewals, "begin" | "hasRoom">;
  readonly accounts: Pick<Accounts, "find">;
  readonly projector: Pick<Projector, "waitFor">;
  readonly nodes: Pick<NodeReconciler, "settle" | "doubt">;
  readonly logger: Logger;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
  /** Days for which a server is kept after it expired. */
  readonly terminationDays: number;
}

/** Renews servers that renew themselves, suspends those whose paid time is over, and ends those that nobody renews. */
export interface LifeCycle {
  /**
   * Tries the automatic renewals that are due, ends every server that was cancelled and has expired by now, suspends the others
   * that have, and ends those that did so too long ago. Their nodes are told. @returns how many were tried, suspended or ended.
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

/** How often balances are looked at for renewals that wait for money, in milliseconds. */
const fundsEveryMs = 30_000;

/** One kind of work: which servers it is about, and what is done for each. @returns whether anything was. */
interface Duty {
  readonly due: (now: string) => Promise<readonly ServerRow[]>;
  readonly work: (server: ServerRow, payers: Payers) => Promise<boolean>;
}

/**
 * Creates the life cycle. It is driven by what is so, not by what happened: whatever expired while nobody was looking is
 * found by the next look. The server's own rules decide, so that a renewal that came first wins, and nothing is suspended
 * twice whoever looks at the same time.
 */
export function createLifeCycle(options: LifeCycleOptions): LifeCycle {
  const { clock, isTimeTrusted = () => true } = options;
  const duties = dutiesOf(options);

  /** Batch by batch. */
  async function fulfil(
    { due, work }: Duty,
    payers: Payers,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let total = 0;
    for (;;) {
      if (!isTimeTrusted()) return total;
      const servers = await due(clock.now());
      const done = (await Promise.all(servers.map((server) => work(server, payers)))).filter(Boolean).length;
      total += done;
      // Where nothing could be done, the next round tries again: this one would turn in circles.
      if (done === 0 || servers.length < batchSize || signal?.aborted === true) return total;
    }
  }

  async function runDueWork(signal?: AbortSignal): Promise<number> {
    let total = 0;
    const payers = createPayers(options);
    for (const duty of duties) total += await fulfil(duty, payers, signal);
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

/** What there is to do for servers, in its order. */
function dutiesOf(options: LifeCycleOptions): readonly Duty[] {
  const { clock, queries, nodes, terminationDays } = options;
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
  const releasedBy = (now: string): string => addMilliseconds(now, -daysAfterHold * dayMs);
  let fundsAtMs = Number.NEGATIVE_INFINITY;
  const unpaid = async (): Promise<readonly ServerRow[]> => {
    const nowMs = clock.epochMilliseconds();
    // A clock that went back has looked at nothing yet.
    if (nowMs >= fundsAtMs && nowMs - fundsAtMs < fundsEveryMs) return [];
    fundsAtMs = nowMs;
    // What was charged before in this round is gone from their balances.
    const payers = createPayers(options);
    const pages = pagesById({
      read: (afterId, limit) => queries.unpaidRenewals(afterId, limit),
      idOf: ({ id }) => id,
      size: batchSize,
    });
    const covered: ServerRow[] = [];
    for await (const page of pages)
      for (const server of page)
        if ((await payers.covering(server.account_id, BigInt(server.missed_cents ?? 0))) !== undefined)
          covered.push(server);
    return covered;
  };
  return [
    {
      due: (now) => queries.dueRenewals(now, batchSize),
      work: (server, payers) => renew({ ...options, payers }, server),
    },
    {
      due: unpaid,
      work: (server, payers) => renew({ ...options, payers }, server, BigInt(server.missed_cents ?? 0)),
    },
    { due: (now) => queries.dueCancellations(now, releasedBy(now), batchSize), work: end },
    { due: (now) => queries.expiredServers(now, batchSize), work: suspend },
    {
      due: (now) =>
        queries.idleServers(addMilliseconds(now, -terminationDays * dayMs), releasedBy(now), batchSize),
      work: end,
    },
  ];
}

/** Tries the automatic renewal that is due, and waits until reads show what came of it. @returns whether it was tried. */
async function renew(
  options: LifeCycleOptions & { readonly payers: Payers },
  { id, account_id: accountId }: ServerRow,
  availableCents?: bigint,
): Promise<boolean> {
  const { commands, clock, payers, projector, renewals, logger } = options;
  try {
    const { state } = await commands.load(serverAggregate, String(id));
    const next = nextServerRenewal(state);
    const isDue = isServerRenewalDue(state, clock.now(), availableCents);
    if (next === undefined || !isDue || !renewals.hasRoom) return false;
    const { renewalId, months } = next;
    if (await payers.isErased(accountId)) return await stopRenewing(options, id, `erasure-${renewalId}`);
    const context = { correlationId: renewalId, actor: "process:life-cycle" };
    const wish = { serverId: id, renewalId, months, automatic: defined({ availableCents }) };
    const { renewal } = await beginRenewal({ commands, clock }, wish, context);
    if (renewal === undefined) return false;
    await renewals.begin(renewalId, renewal, context);
    await shown(projector, await commands.load(serverAggregate, String(id)));
    return true;
  } catch (error) {
    // It keeps no other one waiting.
    logger.error({ server: id, err: error }, "an automatic renewal is held up");
    return false;
  }
}

/** Nobody is behind its account any more: it comes to its end, and nobody is asked for money. */
function stopRenewing(options: LifeCycleOptions, serverId: number, changeId: string): Promise<boolean> {
  const data = { changeId, autoRenew: false, at: options.clock.now() };
  return command(options, serverId, changeId, { type: "SetServerAutoRenewal", data });
}

/** Gives a server a command, and waits until reads show what came of it. @returns whether it changed anything. */
function command(
  { commands, logger, projector }: LifeCycleOptions,
  serverId: number,
  cause: string,
  given: ServerCommand,
): Promise<boolean> {
  const about = { server: serverId, command: given.type };
  const carryOut = async (): Promise<boolean> => {
    const executed = await commands.execute(serverAggregate, String(serverId), given, {
      commandId: `${cause}/${given.type}`,
      correlationId: cause,
      actor: "system",
    });
    if (!executed.accepted) {
      logger.error({ ...about, code: executed.rejection.code }, "a step of a server's life was refused");
      return false;
    }
    await shown(projector, executed);
    return executed.events.length > 0;
  };
  return unlessUnreadable(carryOut, (error) => {
    logger.error({ ...about, err: error }, "a step of a server's life is held up");
    return false;
  });
}
