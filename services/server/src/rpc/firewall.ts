import { createHash } from "node:crypto";

import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  serverAggregate,
  desiredNode,
  isProvidersRule,
  parseFirewallRule,
  rejection,
  server as serverRules,
  type ProvisionedServer,
  type ServerCommand,
  type ServerState,
} from "@hostledger/core";
import type { server } from "@hostledger/protocol";
import {
  claimRequest,
  conditionOf,
  rejectionError,
  requestContextOf,
  useQuota,
  validated,
  requireAccepted,
} from "@hostledger/rpc";

import type { ServerDependencies } from "../dependencies.ts";
import { servers } from "../reads/servers.projection.ts";
import { computeName } from "../effects/compute-server.ts";
import { ownServer } from "./offer.ts";
import { firewallOptionsMessage, firewallRuleMessage } from "./server.message.ts";

type FirewallHandlers = Pick<
  ServiceImpl<typeof server.ServerService>,
  "getServerRevision" | "getFirewall" | "toggleFirewall" | "addFirewallRule" | "removeFirewallRule"
>;

export function firewallHandlers(dependencies: ServerDependencies): FirewallHandlers {
  const { clock } = dependencies;
  return {
    async getServerRevision(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const loaded = await dependencies.commands.load(serverAggregate, String(id));
      if (!(await dependencies.projector.after(loaded.position, { names: [servers.name] })))
        throw rejectionError(rejection("overloaded"));
      return { revision: loaded.revision ?? -1n };
    },

    getFirewall: (request, context) => getFirewall(dependencies, request, context),

    async toggleFirewall(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const { operationId: changeId } = requestContextOf(context);
      const data = { changeId, enabled: request.enable, at: clock.now() };
      await changeFirewall(dependencies, id, context, () => ({ type: "ToggleFirewall", data }));
      return { enabled: request.enable };
    },

    async addFirewallRule(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const { operationId: ruleId } = requestContextOf(context);
      const rule = { ruleId, ...validated(parseFirewallRule(request)) };
      const after = await changeFirewall(dependencies, id, context, () => ({
        type: "AddFirewallRule",
        data: { rule, at: clock.now() },
      }));
      const { rules } = after.firewall;
      const index = rules.findIndex(({ ruleId }) => ruleId === rule.ruleId);
      // If the rule was removed before a repeat, its position was the last when added.
      const pos = index < 0 ? rules.length : index;
      return { rule: firewallRuleMessage({ ...rule, pos, provider: false }) };
    },

    async removeFirewallRule(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const { operationId: changeId } = requestContextOf(context);
      await changeFirewall(dependencies, id, context, ({ changes, firewall }) => {
        // A repeat must not remove the rule that has moved to this position.
        if (changes.includes(changeId)) return undefined;
        if (
          request.digest !== undefined &&
          request.digest !==
            digestOf(
              firewall.rules.map(({ ruleId }) => ruleId),
              firewall.enabled,
            )
        )
          throw rejectionError(rejection("firewall-changed"));
        const rule = firewall.rules[request.pos];
        if (rule === undefined)
          throw rejectionError(rejection("not-found", "There is no firewall rule at this position."));
        return { type: "RemoveFirewallRule", data: { changeId, ruleId: rule.ruleId, at: clock.now() } };
      });
      return {};
    },
  };
}

/** Reads a firewall: rules and positions from the events, options from the node. */
async function getFirewall(
  dependencies: ServerDependencies,
  request: Pick<server.GetFirewallRequest, "serverId">,
  context: HandlerContext,
) {
  const { queries, compute, installation } = dependencies;
  const row = await ownServer(dependencies, request.serverId, context);
  if (row.status === "provisioning" || row.status === "terminating")
    throw rejectionError(rejection("server-not-active"));
  const answer = await compute.readFirewall(
    await computeName(installation, { serverId: row.id, orderId: row.order_id }),
  );
  if (answer.outcome !== "done") throw rejectionError(rejection("compute-unavailable"));
  const rules = await queries.firewallRulesOf(row.id);
  return {
    rules: rules.map((rule, pos) => {
      const provider = isProvidersRule(row.order_id, { ruleId: rule.rule_id });
      return firewallRuleMessage({ ...rule, pos, provider });
    }),
    digest: digestOf(
      rules.map((rule) => rule.rule_id),
      row.firewall_enabled === 1,
    ),
    options: firewallOptionsMessage(answer.value.options, row.firewall_enabled === 1),
  };
}

/** Returns a digest of the rules' ids and the enabled flag: 40 hexadecimal digits, like Proxmox VE's. */
function digestOf(ruleIds: readonly string[], enabled: boolean): string {
  return createHash("sha256")
    .update(JSON.stringify([...ruleIds, enabled]))
    .digest("hex")
    .slice(0, 40);
}

/**
 * Changes a firewall one change per server at a time: first on the node, then by an event. If the node refuses, no
 * event is stored. If node and events differ afterwards (a crash, a lost answer, a write by another process), the work
 * on nodes corrects the node.
 *
 * @param command decides the change on the current server; undefined if done before.
 * @returns the changed server.
 * @throws ConnectError for a rejection or exceeded quota; `compute-unavailable` if the node did not accept.
 */
async function changeFirewall(
  dependencies: ServerDependencies,
  serverId: number,
  context: HandlerContext,
  command: (server: ProvisionedServer) => ServerCommand | undefined,
): Promise<ProvisionedServer> {
  const { commands, nodes, projector, quotas } = dependencies;
  const operation = requestContextOf(context);
  return nodes.exclusively(serverId, async () => {
    const loaded = await commands.load(serverAggregate, String(serverId));
    const { expectedRevision } = conditionOf(operation);
    // The node is changed before the stream, so only a repeat may continue after another revision.
    if (typeof expectedRevision === "bigint" && expectedRevision !== loaded.revision)
      throw rejectionError(rejection("precondition-failed"));
    const present = existing(loaded.state);
    const asked = command(present);
    if (asked === undefined) return present;
    const admit = async (): Promise<void> => {
      await useQuota(quotas, "free_writes_a_day", 1, context);
      await claimRequest(operation);
    };
    const isRepeat = expectedRevision === "repeat";
    const change = { state: loaded.state, command: asked, admit, isRepeat };
    const added = await changeNode(dependencies, present, change);
    let executed;
    try {
      executed = await commands.execute(serverAggregate, String(serverId), asked, {
        ...operation,
        commandId: `${operation.operationId}/${asked.type}`,
        ...conditionOf(operation),
      });
    } catch (error) {
      await nodes.invalidate(serverId);
      throw error;
    }
    // Another write came in between, so the node may have other rules.
    const isNext = executed.accepted && executed.revision === (loaded.revision ?? -1n) + BigInt(added);
    if (!isNext) await nodes.invalidate(serverId);
    requireAccepted(executed);
    await projector.after(executed.position, { names: [servers.name] });
    return existing(executed.state);
  });
}

/** Decides a change and applies it to the node. @param change `admit` is called first @returns number of events */
async function changeNode(
  { compute, installation, nodes }: ServerDependencies,
  server: ProvisionedServer,
  {
    state,
    command,
    admit,
    isRepeat,
  }: {
    readonly isRepeat: boolean;
    readonly state: ServerState;
    readonly command: ServerCommand;
    readonly admit: () => Promise<void>;
  },
): Promise<number> {
  const decision = serverRules.decide(command, state);
  requireAccepted(decision);
  // The first attempt did nothing, and meanwhile another client changed the server.
  if (isRepeat && decision.events.length > 0) throw rejectionError(rejection("precondition-failed"));
  const target = desiredNode(decision.events.reduce(serverRules.evolve, state));
  if (decision.events.length === 0 || target === undefined) return 0;
  await admit();
  const answer = await compute.replaceFirewall(await computeName(installation, server), target.firewall);
  if (answer.outcome === "done") return decision.events.length;
  await nodes.invalidate(server.serverId);
  throw rejectionError(rejection("compute-unavailable"));
}

function existing(state: ServerState): ProvisionedServer {
  if (state.status === "active" || state.status === "suspended") return state.server;
  throw rejectionError(rejection("server-not-active"));
}
