import type { CommandHandler } from "@hostledger/event-store";
import { done, refused, type Compute, type Outcome } from "@hostledger/providers";
import { KeyedMutex, type Logger, type Timing } from "@hostledger/runtime";

import { serverAggregate } from "../aggregates.ts";
import type { ServerQueries, ServerRow } from "../queries/server.queries.ts";
import { computeName, nodeTarget, sameFirewall, type NodeTarget } from "./compute-server.ts";

/** What keeps the nodes as the facts say. */
export interface NodeKeeperOptions {
  readonly commands: CommandHandler;
  readonly compute: Compute;
  readonly queries: Pick<ServerQueries, "lastChangedServers">;
  readonly logger: Logger;
  readonly clock: Timing;
}

/**
 * Keeps what the compute party does in line with what the facts say: whether a server runs, and its firewall. Facts are
 * what shall be; a node that differs, because somebody died between the two or because it could not be reached, is set
 * right. Nothing needs to be remembered for that: it is enough to look.
 */
export interface NodeKeeper {
  /** Does work on one server after everything else about it here has ended. */
  exclusively<Result>(serverId: number, work: () => Promise<Result>): Promise<Result>;
  /** Sets one node right now. `refused` and `unknown` say that it may still differ. */
  settle(serverId: number): Promise<Outcome<void>>;
  /** This node may differ: it is set right soon, and tried again until it is. */
  doubt(serverId: number): void;
  /** True while nothing is in doubt. */
  readonly isSettled: boolean;
  /** Looks at every server, the last changed first, and sets right what differs or is in doubt. */
  inspect(signal?: AbortSignal): Promise<void>;
  /** Inspects once, then sets right what comes into doubt until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Servers that are looked at together. */
const pageSize = 100;
const parallelLooks = 8;

/** How often doubts are looked at, and the longest wait before one is tried again, in milliseconds. */
const roundMs = 250;
const longestWaitMs = 60_000;

interface Doubt {
  readonly attempts: number;
  readonly dueMs: number;
}

/** Creates the keeper of the nodes. */
export function createNodeKeeper(options: NodeKeeperOptions): NodeKeeper {
  const { commands, queries, logger, clock } = options;
  const servers = new KeyedMutex<number>();
  const doubts = new Map<number, Doubt>();

  function postpone(serverId: number, answer: { readonly message: string }): void {
    const attempts = (doubts.get(serverId)?.attempts ?? 0) + 1;
    const waitMs = Math.min(roundMs * 2 ** attempts, longestWaitMs);
    doubts.set(serverId, { attempts, dueMs: clock.monotonicMilliseconds() + waitMs });
    logger.error({ server: serverId, attempts, reason: answer.message }, "a node differs from the facts");
  }

  /** While nobody else works on the server. */
  async function setRight(serverId: number): Promise<Outcome<void>> {
    const { state } = await commands.load(serverAggregate, String(serverId));
    const target = nodeTarget(state);
    const answer = target === undefined ? done(undefined) : await apply(options.compute, serverId, target);
    if (answer.outcome === "done") doubts.delete(serverId);
    else postpone(serverId, answer);
    return answer;
  }

  const settle = (serverId: number): Promise<Outcome<void>> =>
    servers.run(serverId, () => setRight(serverId));

  async function settleAll(serverIds: readonly number[], signal?: AbortSignal): Promise<void> {
    const waiting = [...serverIds];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (signal?.aborted === true) return;
        await settle(next);
      }
    };
    await Promise.all(Array.from({ length: parallelLooks }, work));
  }

  async function inspect(signal?: AbortSignal): Promise<void> {
    let before = { changedAt: "~", id: 0 };
    for (;;) {
      const rows: readonly ServerRow[] = await queries.lastChangedServers(before, pageSize);
      const last = rows.at(-1);
      if (last === undefined || signal?.aborted === true) return;
      await settleAll(
        rows.filter(({ status }) => status !== "provisioning").map(({ id }) => id),
        signal,
      );
      before = { changedAt: last.node_changed_at, id: last.id };
    }
  }

  return {
    exclusively: (serverId, work) => servers.run(serverId, work),
    settle,
    doubt(serverId) {
      doubts.set(serverId, { attempts: 0, dueMs: clock.monotonicMilliseconds() });
    },
    get isSettled() {
      return doubts.size === 0;
    },
    inspect,
    async run(signal) {
      await inspect(signal);
      while (!signal.aborted) {
        const nowMs = clock.monotonicMilliseconds();
        const due = [...doubts].filter(([, { dueMs }]) => dueMs <= nowMs).map(([serverId]) => serverId);
        await settleAll(due, signal);
        await clock.sleep(roundMs, signal);
      }
    },
  };
}

/** Asks first and changes what differs: a party that is right already is not written to. */
async function apply(compute: Compute, serverId: number, target: NodeTarget): Promise<Outcome<void>> {
  const name = computeName(serverId);
  const inquiry = await compute.inquire(name);
  if (inquiry.outcome !== "done") return inquiry;
  if (!inquiry.value.held) return refused("rejected", `The compute party does not hold ${name}.`);
  if (inquiry.value.server.running !== target.running) {
    const answer = await (target.running ? compute.resume(name) : compute.suspend(name));
    if (answer.outcome !== "done") return answer;
  }
  const firewall = await compute.readFirewall(name);
  if (firewall.outcome !== "done") return firewall;
  const { options, rules } = firewall.value;
  if (sameFirewall({ enabled: options.enable, rules }, target.firewall)) return done(undefined);
  return compute.replaceFirewall(name, target.firewall);
}
