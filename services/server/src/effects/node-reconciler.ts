import {
  serverAggregate,
  assertNever,
  desiredNode,
  nextNodeDifference,
  staffTickets,
  type NodeState,
  type ProvisionedServer,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler, type Installation } from "@hostledger/event-store";
import {
  createReconciler,
  type AttemptEnd,
  type Effects,
  type Pursued,
  type Reconciler,
} from "@hostledger/process-manager";
import { done, refused, type Compute, type Outcome } from "@hostledger/providers";
import type { Clock, Logger } from "@hostledger/runtime";

import { computeName } from "./compute-server.ts";
import type { ServerQueries } from "../reads/server.queries.ts";
import { terminate } from "./server-termination.ts";

/** Options of the node reconciler. */
export interface NodeReconcilerOptions {
  readonly commands: CommandHandler;
  readonly compute: Compute;
  readonly installation: Installation;
  readonly queries: Pick<ServerQueries, "lastChangedServers">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Brings nodes to the state in the events: whether the server exists and runs, and its firewall. A node may differ
 * after a crash
 * or an outage. The reconciler stores nothing, because comparing suffices.
 */
export interface NodeReconciler {
  /** Runs work on a server after all other work on it in this process. */
  exclusively<Result>(serverId: number, work: () => Promise<Result>): Promise<Result>;
  /** Corrects a node now. After `refused` or `unknown` the node may still differ, and the reconciler tries again. */
  settle(serverId: number): Promise<Outcome<void>>;
  /** Schedules a check of the node; the reconciler tries until the node is correct. */
  doubt(serverId: number): void;
  /** True if no node awaits a check. */
  readonly isSettled: boolean;
  /** Checks every server, the last changed first, and corrects differences. */
  inspect(signal?: AbortSignal): Promise<void>;
  /** Checks every server once, then changed servers, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Waits for running calls, then stops. A start checks all nodes again. */
  stop(): Promise<void>;
}

/** Desired state of a node: present with this state, or gone. */
type Wanted =
  | { readonly kind: "node"; readonly node: NodeState; readonly server: ProvisionedServer }
  | { readonly kind: "gone"; readonly server: ProvisionedServer };

/** Outcome of a call after which the node may still differ. */
type Failure = Exclude<Outcome<void>, { outcome: "done" }>;

/** Servers read per page. */
const pageSize = 100;
const parallelLooks = 8;

/** Interval between looks for changed servers, in milliseconds. */
const roundMs = 5_000;

/** Pauses between attempts, which never end because the desired state does not expire. */
const pauses = { firstMs: 500, longestMs: 3_600_000 };

/** Context of calls without a request. */
const context = { correlationId: "nodes", actor: "system" };

export function createNodeReconciler(options: NodeReconcilerOptions): NodeReconciler {
  const { queries, clock, logger } = options;
  const reconciler = createReconciler<Wanted, Failure>({
    effects: nodeEffects(options),
    clock,
    logger,
    leasePrefix: "node",
    // Nodes have no owner; differences are found by comparing.
    orphans: () => Promise.resolve([]),
  });

  async function look(serverIds: readonly number[], signal?: AbortSignal): Promise<void> {
    const waiting = [...serverIds];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (signal?.aborted === true) return;
        await settle(reconciler, next);
      }
    };
    await Promise.all(Array.from({ length: parallelLooks }, work));
  }

  /** Checks servers changed after an instant, or all, the last changed first. @returns the time of the last change. */
  async function inspectSince(since: string | undefined, signal?: AbortSignal): Promise<string> {
    let before = { changedAt: "~", id: 0 };
    let newest = since ?? "";
    for (;;) {
      const rows = await queries.lastChangedServers(before, pageSize);
      const changed = rows.filter(({ node_changed_at: at }) => since === undefined || at > since);
      const last = changed.at(-1);
      if (last === undefined || signal?.aborted === true) return newest;
      const [first = last] = changed;
      if (first.node_changed_at > newest) newest = first.node_changed_at;
      const there = changed.filter(({ status }) => status !== "provisioning");
      await look(
        there.map(({ id }) => id),
        signal,
      );
      if (changed.length < rows.length) return newest;
      before = { changedAt: last.node_changed_at, id: last.id };
    }
  }

  return {
    exclusively: (serverId, work) => reconciler.exclusively(String(serverId), work),
    settle: (serverId) => settle(reconciler, serverId),
    doubt(serverId) {
      reconciler.pursue(pursuedOf(serverId), { context, isTakenOver: true });
    },
    get isSettled() {
      return reconciler.pursuing === 0;
    },
    async inspect(signal) {
      await inspectSince(undefined, signal);
    },
    async run(signal) {
      let since = await inspectSince(undefined, signal);
      while (!signal.aborted) {
        await clock.sleep(roundMs, signal);
        since = await inspectSince(since, signal);
      }
    },
    stop: () => reconciler.stop(),
  };
}

function pursuedOf(serverId: number): Pursued {
  return { id: String(serverId), resource: String(serverId) };
}

async function settle(reconciler: Reconciler<Failure>, serverId: number): Promise<Outcome<void>> {
  const end = await reconciler.settle(pursuedOf(serverId), context);
  return end.kind === "open" ? end.reason : done(undefined);
}

/** Effects on a node. The node is read first, so that a correct node is not written. */
function nodeEffects(options: NodeReconcilerOptions): Effects<Wanted, Failure> {
  const { commands, compute, installation } = options;
  const nameOf = (resource: string, { orderId }: ProvisionedServer): Promise<string> =>
    computeName(installation, { serverId: Number(resource), orderId });
  return {
    async wanted({ resource }) {
      const { state } = await commands.load(serverAggregate, resource);
      if (state.status === "terminating") return { kind: "gone", server: state.server };
      const node = desiredNode(state);
      return node === undefined || !("server" in state)
        ? undefined
        : { kind: "node", node, server: state.server };
    },
    nameOf: ({ kind }) => kind,
    async attempt({ resource }, wanted, { number }): Promise<AttemptEnd<Failure>> {
      const answer =
        wanted.kind === "gone"
          ? await terminate(options, wanted.server, number)
          : await setRight(compute, await nameOf(resource, wanted.server), wanted.node);
      return answer.outcome === "done" ? { kind: "agreed" } : { kind: "open", reason: answer };
    },
    attemptsInSight: () => 1,
    backoffOf: () => pauses,
    async tellStaff({ resource }, { kind, server }, { message }) {
      // A machine that could not be destroyed has a ticket of its own.
      if (kind === "gone") return;
      const about = await nameOf(resource, server);
      const work = `node-${resource}-${options.clock.now().slice(0, 7)}`;
      await requestStaffTicket(options, staffTickets.workNotDone({ work, about }, message), "server-service");
    },
  };
}

/** Corrects differences one at a time. */
async function setRight(compute: Compute, name: string, desired: NodeState): Promise<Outcome<void>> {
  const observed = await observeNode(compute, name);
  if (observed.outcome !== "done") return observed;
  if (observed.value === undefined) return refused("rejected", `The compute provider does not hold ${name}.`);
  let node = observed.value;
  for (;;) {
    const difference = nextNodeDifference(desired, node);
    if (difference === undefined) return done(undefined);
    const answer = await change(compute, name, desired, difference);
    if (answer.outcome !== "done") return answer;
    node = difference === "power" ? { ...node, running: desired.running } : desired;
  }
}

/** Reads a node's state; undefined if no node holds the server. */
export async function observeNode(compute: Compute, name: string): Promise<Outcome<NodeState | undefined>> {
  const inquiry = await compute.inquire(name);
  if (inquiry.outcome !== "done") return inquiry;
  if (!inquiry.value.held) return done(undefined);
  const { running } = inquiry.value.server;
  const firewall = await compute.readFirewall(name);
  if (firewall.outcome !== "done") return firewall;
  const { options, rules } = firewall.value;
  return done({ running, firewall: { enabled: options.enable, rules } });
}

function change(
  compute: Compute,
  name: string,
  { running, firewall }: NodeState,
  difference: "power" | "firewall",
): Promise<Outcome<void>> {
  switch (difference) {
    case "power":
      return running ? compute.resume(name) : compute.suspend(name);
    case "firewall":
      return compute.replaceFirewall(name, firewall);
    default:
      return assertNever(difference);
  }
}
