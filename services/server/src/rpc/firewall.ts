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
import { shown, shownRevision } from "@hostledger/projections";
import type { server } from "@hostledger/protocol";
import {
  claimRequest,
  conditionOf,
  rejectionError,
  requestContextOf,
  useQuota,
  validated,
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

/** The handlers about firewalls. */
export function firewallHandlers(dependencies: ServerDependencies): FirewallHandlers {
  const { clock } = dependencies;
  return {
    async getServerRevision(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const loaded = await dependencies.commands.load(serverAggregate, String(id));
      const revision = await shownRevision(dependencies.projector, loaded, [servers.name]);
      if (revision === undefined) throw rejectionError(rejection("overloaded"));
      return { revision };
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
      // A rule that a repeat finds removed meanwhile was the last one when it was added.
      const pos = index < 0 ? rules.length : index;
      return { rule: firewallRuleMessage({ ...rule, pos, provider: false }) };
    },

    async removeFirewallRule(request, context) {
      const { id } = await ownServer(dependencies, request.serverId, context);
      const { operationId: changeId } = requestContextOf(context);
      await changeFirewall(dependencies, id, context, ({ changes, firewall }) => {
        // A repeat must not take what has moved to this position since.
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

/**
 * Rules are told from the facts, as are their positions for those who remove one; the options are the node's own, which
 * is asked for them.
 */
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

/**
 * Names a list of rules and whether they are in force, so that a client which changes them can say what it read. A rule never
 * changes, so its id stands for it. 40 hexadecimal digits, as Proxmox VE's digests have.
 */
function digestOf(ruleIds: readonly string[], enabled: boolean): string {
  return createHash("sha256")
    .update(JSON.stringify([...ruleIds, enabled]))
    .digest("hex")
    .slice(0, 40);
}

/**
 * Changes a firewall: the node first, then the fact, one change of a server at a time. A change that the node does not
 * take is no fact. Where the two come apart (the owner dies in between, the node's answer is lost, another process wrote),
 * the node is brought back to the facts by the reconciler, which needs no record of it: it looks.
 *
 * @param command what is asked, decided on the server as it is; undefined when it was done before.
 * @returns the server after it.
 * @throws ConnectError the quota's refusal, the rules'; `compute-unavailable` when the node did not take the change.
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
    // The node is told before the stream: only a repeat may go on from here where the revision is another.
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
    const added = await tellNode(dependencies, present, change);
    let executed;
    try {
      executed = await commands.execute(serverAggregate, String(serverId), asked, {
        ...operation,
        commandId: `${operation.operationId}/${asked.type}`,
        ...conditionOf(operation),
      });
    } catch (error) {
      nodes.doubt(serverId);
      throw error;
    }
    // Somebody else wrote in between: the node may have been told something else meanwhile.
    const isNext = executed.accepted && executed.revision === (loaded.revision ?? -1n) + BigInt(added);
    if (!isNext) nodes.doubt(serverId);
    if (!executed.accepted) throw rejectionError(executed.rejection);
    await shown(projector, executed, [servers.name]);
    return existing(executed.state);
  });
}

/**
 * Decides the change on the state and tells the node what comes of it.
 * @param change `admit` is asked before the node is; what changes nothing needs no leave.
 * @returns how many facts it adds.
 */
async function tellNode(
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
  if (!decision.accepted) throw rejectionError(decision.rejection);
  // Nothing of it was done before, and somebody else has changed the server.
  if (isRepeat && decision.events.length > 0) throw rejectionError(rejection("precondition-failed"));
  const target = desiredNode(decision.events.reduce(serverRules.evolve, state));
  if (decision.events.length === 0 || target === undefined) return 0;
  await admit();
  const answer = await compute.replaceFirewall(await computeName(installation, server), target.firewall);
  if (answer.outcome === "done") return decision.events.length;
  nodes.doubt(server.serverId);
  throw rejectionError(rejection("compute-unavailable"));
}

function existing(state: ServerState): ProvisionedServer {
  if (state.status === "active" || state.status === "suspended") return state.server;
  throw rejectionError(rejection("server-not-active"));
}
