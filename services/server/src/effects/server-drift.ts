import {
  desiredNode,
  difference,
  serverAggregate,
  serverDifferences,
  serverOrder,
  stockAggregate,
  stockId,
  unitDifference,
  type Difference,
  type StockKey,
} from "@hostledger/core";
import type { CommandHandler, Installation } from "@hostledger/store";
import { DriftRound, followDifferences, type DriftReport } from "@hostledger/work";
import type { Projector } from "@hostledger/read";
import type { Compute } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";

import type { ServerQueries, ServerRow } from "../reads/server.queries.ts";
import { computeName, isOfOthers, serverIdOf } from "./compute-server.ts";
import { observeNode, type Nodes } from "./server-node.effects.ts";

export interface ServerDriftOptions {
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
  readonly compute: Compute;
  readonly installation: Installation;
  readonly nodes: Pick<Nodes, "exclusively" | "settle">;
  readonly projector: Pick<Projector, "after">;
  readonly queries: Pick<ServerQueries, "lastChangedServers" | "runById" | "stock" | "unfinishedRuns">;
}

/** Compares the events with the compute provider, and the stock with its servers. */
export interface ServerDrift {
  /** @param fix true corrects differences that cost neither money nor a server. @param background see `DriftRound`. */
  reconcile(fix: boolean, background?: AbortSignal): Promise<DriftReport>;
}

const computeProvider = "The compute provider";
const pageSize = 100;

/** Maximum unfinished runs inspected for reserved units. */
const runLimit = 10_000;

/** Creates the comparison. Desired states come from the servers' own streams, so an outdated read model does no harm. */
export function createServerDrift(options: ServerDriftOptions): ServerDrift {
  const { compute, installation, nodes } = options;
  const lookNow = (id: number, silent: (provider: string) => void) =>
    nodes.exclusively(id, () => lookAt(options, id, silent));
  const look = async (id: number, silent: (provider: string) => void) => (await lookNow(id, silent)) ?? [];
  const mend = (id: number): Promise<void> => nodes.settle(id);

  return {
    async reconcile(fix, background) {
      const round = new DriftRound(fix, background);
      const taken = await takenUnits(options);
      const known = new Set<string>();
      const orders = new Set<string>();
      for await (const page of pages(options)) {
        if (round.isCutOff) break;
        for (const { id, order_id: orderId } of page) {
          known.add(await computeName(installation, { serverId: id, orderId }));
          orders.add(orderId);
        }
        await round.compare(
          page.map(({ id }) => id),
          { look, mend },
        );
      }
      const holder = {
        provider: computeProvider,
        list: compute.list?.bind(compute),
        look: (name: string, silent: (provider: string) => void) => lookAtMachine(options, name, silent),
      };
      await round.compareHoldings(holder, known);
      round.add(
        await idleUnits(
          options,
          taken.filter(({ orderId }) => !orders.has(orderId)),
        ),
      );
      const report = round.report();
      await followDifferences(options, {
        part: "servers",
        report,
        recordedBy: "server-service",
        lookAgain: async (name) => (round.isCutOff ? undefined : lookAgain(options, name, lookNow)),
      });
      return report;
    },
  };
}

async function* pages({ queries }: ServerDriftOptions): AsyncGenerator<readonly ServerRow[]> {
  for (let before = { changedAt: "~", id: 0 }; ;) {
    const page = await queries.lastChangedServers(before, pageSize);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = { changedAt: last.node_changed_at, id: last.id };
  }
}

type LookAtServer = (
  id: number,
  silent: (provider: string) => void,
) => Promise<readonly Difference[] | undefined>;

/** Returns the differences of a server with or without an account; undefined if the provider does not answer. */
async function lookAgain(
  options: ServerDriftOptions,
  name: string,
  lookNow: LookAtServer,
): Promise<readonly Difference[] | undefined> {
  const silences: string[] = [];
  const silent = (provider: string): void => {
    silences.push(provider);
  };
  const id = serverIdOf(await options.installation.named(), name);
  let differences: readonly Difference[] | undefined;
  if (id === undefined || (await isUnknown(options, name))) {
    const machine = await lookAtMachine(options, name, silent);
    differences = machine === undefined ? [] : [machine];
  } else differences = await lookNow(id, silent);
  return silences.length === 0 ? differences : undefined;
}

/** @returns undefined if there is no server or work on it is in progress. */
async function lookAt(
  { commands, compute, installation }: ServerDriftOptions,
  id: number,
  silent: (provider: string) => void,
): Promise<readonly Difference[] | undefined> {
  const { state, revision } = await commands.load(serverAggregate, String(id));
  const desired = desiredNode(state);
  if (desired === undefined || !("server" in state) || state.server.renewal !== null) return undefined;
  const name = await computeName(installation, state.server);
  const observed = await observeNode(compute, name);
  if (observed.outcome !== "done") {
    silent(computeProvider);
    return undefined;
  }
  // A changed revision means that work is in progress.
  const now = await commands.load(serverAggregate, String(id));
  return now.revision === revision ? serverDifferences(name, desired, observed.value) : undefined;
}

async function lookAtMachine(
  options: ServerDriftOptions,
  name: string,
  silent: (provider: string) => void,
): Promise<Difference | undefined> {
  // Another installation may have machines at the provider.
  if (isOfOthers(await options.installation.named(), name)) return undefined;
  if (!(await isUnknown(options, name))) return undefined;
  // The machine may have been destroyed since the listing.
  const answer = await options.compute.inquire(name);
  if (answer.outcome !== "done") {
    silent(computeProvider);
    return undefined;
  }
  if (!answer.value.held || !(await isUnknown(options, name))) return undefined;
  const { node, ipAddress } = answer.value.server;
  return difference("server-unpaid", name, {
    expected: "not held",
    found: `held on ${node} at ${ipAddress}`,
  });
}

/** Returns true if no server has the name and no unfinished order may create it. */
async function isUnknown(
  { commands, installation, projector, queries }: ServerDriftOptions,
  name: string,
): Promise<boolean> {
  const id = serverIdOf(await installation.named(), name);
  if (id === undefined) return true;
  const loaded = await commands.load(serverAggregate, String(id));
  const { state } = loaded;
  if (state.status === "absent" || state.status === "terminated") return true;
  if (state.status !== "failed") return false;
  await projector.after(loaded.position);
  return (await queries.runById(runOf(state.order.orderId))) === undefined;
}

interface TakenUnit {
  readonly orderId: string;
  readonly key: StockKey;
  /** Plan and region in words. */
  readonly place: string;
}

/** Returns units of ended orders or orders without a run; read before servers, which are stored earlier. */
async function takenUnits({
  clock,
  commands,
  projector,
  queries,
}: ServerDriftOptions): Promise<readonly TakenUnit[]> {
  const taken: TakenUnit[] = [];
  for (const { plan, region } of await queries.stock(clock.now())) {
    const key = { planId: plan.id, regionId: region.id };
    const loaded = await commands.load(stockAggregate, stockId(key));
    await projector.after(loaded.position);
    const place = `${plan.title} ${region.code}`;
    for (const [orderId, word] of loaded.state.orders)
      if (word === "reserved") taken.push({ orderId, key, place });
  }
  const running = new Set((await queries.unfinishedRuns(runLimit)).map(({ run }) => run));
  return taken.filter(({ orderId }) => !running.has(runOf(orderId)));
}

/** Returns differences for units that are still reserved. */
async function idleUnits(
  { commands }: ServerDriftOptions,
  suspects: readonly TakenUnit[],
): Promise<readonly Difference[]> {
  const idle: Difference[] = [];
  for (const { key, orderId, place } of suspects) {
    const { state } = await commands.load(stockAggregate, stockId(key));
    if (state.orders.get(orderId) === "reserved") idle.push(unitDifference(place, orderId));
  }
  return idle;
}

function runOf(orderId: string): string {
  return `${serverOrder.category}-${orderId}`;
}
