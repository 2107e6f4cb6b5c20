import {
  desiredNode,
  nextOfServerNode,
  serverAggregate,
  staffTickets,
  stockAggregate,
  stockId,
  type NodeState,
  type ProvisionedServer,
  type ServerNodeEffect,
  type WorkedNode,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler, type Installation } from "@hostledger/store";
import { workKind, type AnyWorkKind, type EffectEnd, type WorkEngine } from "@hostledger/work";
import { done, type Compute, type Outcome } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";

import { computeName } from "./compute-server.ts";

export interface ServerNodeOptions {
  readonly commands: CommandHandler;
  readonly compute: Compute;
  readonly installation: Installation;
  readonly clock: Pick<Clock, "now">;
}

/** Work on nodes that requests ask for. */
export interface Nodes {
  /** Runs work on a server after all other work on its node in this process. */
  exclusively<Result>(serverId: number, work: () => Promise<Result>): Promise<Result>;
  /** Corrects a node now. If an attempt fails, the engine tries again later. */
  settle(serverId: number): Promise<void>;
  /** Schedules a check of a node that may differ from the events. */
  invalidate(serverId: number): Promise<void>;
}

/** Name of the step that counts corrections of nodes. */
export const nodeStep = "node set right";

const kind = "server-node";
const retry = { firstMs: 500, longestMs: 3_600_000 };

export function nodesOn(engine: () => WorkEngine): Nodes {
  const workOn = (serverId: number) => ({ kind, key: String(serverId) });
  return {
    exclusively: (serverId, work) => engine().exclusively(workOn(serverId), work),
    async settle(serverId) {
      await engine().attend(workOn(serverId));
    },
    invalidate: (serverId) => engine().wake(workOn(serverId)),
  };
}

/**
 * Creates the work that brings nodes to the state in the events; its keys are server ids. The node is read first, so
 * that a correct node is not written.
 */
export function serverNodeWork(options: ServerNodeOptions): AnyWorkKind {
  const { commands, compute, installation, clock } = options;
  return workKind<WorkedNode, ServerNodeEffect>({
    name: kind,
    isDesiredState: true,
    async load(id) {
      const { state } = await commands.load(serverAggregate, id);
      if (desiredNode(state) === undefined || !("server" in state)) return { state, observed: undefined };
      const name = await computeName(installation, state.server);
      const answer = await observeNode(compute, name);
      if (answer.outcome !== "done") throw new Error(answer.message);
      if (answer.value === undefined) throw new Error(`The compute provider does not hold ${name}.`);
      return { state, observed: answer.value };
    },
    next: nextOfServerNode,
    effects: {
      "set-power": {
        retry,
        async carryOut({ server, running }) {
          const name = await computeName(installation, server);
          return endOf(running ? await compute.resume(name) : await compute.suspend(name));
        },
      },
      "set-firewall": {
        retry,
        carryOut: async ({ server, firewall }) =>
          endOf(await compute.replaceFirewall(await computeName(installation, server), firewall)),
      },
      destroy: { retry, carryOut: async ({ server }) => endOf(await terminate(options, server)) },
    },
    async tellOfFailures(id, reason) {
      const { state } = await commands.load(serverAggregate, id);
      if (!("server" in state)) return;
      const ticket = await ticketOf(
        options,
        state.server,
        state.status === "terminating" ? undefined : reason,
      );
      await requestStaffTicket({ commands, clock }, ticket, "server-service");
    },
  });
}

/**
 * Destroys a server's machine, returns its unit and records the termination, in this order: the event follows the
 * provider's answer, and the unit is returned before the order ends. Each step is safe to repeat.
 */
async function terminate(
  { commands, compute, clock, installation }: ServerNodeOptions,
  server: ProvisionedServer,
): Promise<Outcome<void>> {
  const { serverId, planId, regionId, orderId } = server;
  const answer = await compute.destroy(await computeName(installation, server));
  if (answer.outcome !== "done") return answer;
  const cause = { correlationId: `termination-${String(serverId)}`, actor: "process:server-service" };
  const key = { planId, regionId };
  // A gift's order reserved no unit.
  const returned = await commands.execute(
    stockAggregate,
    stockId(key),
    { type: "ReturnStockUnit", data: { ...key, orderId, at: clock.now() } },
    { ...cause, commandId: `${cause.correlationId}/ReturnStockUnit` },
  );
  if (!returned.accepted) throw new Error(returned.rejection.message);
  const recorded = await commands.execute(
    serverAggregate,
    String(serverId),
    { type: "RecordServerTerminated", data: { at: clock.now() } },
    { ...cause, commandId: `${cause.correlationId}/RecordServerTerminated` },
  );
  if (!recorded.accepted) throw new Error(recorded.rejection.message);
  return done(undefined);
}

/** @param reason undefined if a machine could not be destroyed. */
async function ticketOf(
  { clock, installation }: ServerNodeOptions,
  server: ProvisionedServer,
  reason: string | undefined,
) {
  const machine = await computeName(installation, server);
  if (reason === undefined) return staffTickets.serverNotDestroyed({ ...server, machine });
  const work = `node-${String(server.serverId)}-${clock.now().slice(0, 7)}`;
  return staffTickets.workNotDone({ work, about: machine }, reason);
}

function endOf(answer: Outcome<void>): EffectEnd {
  return answer.outcome === "done"
    ? { outcome: "done", step: nodeStep }
    : { outcome: "failed", reason: answer.message };
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
