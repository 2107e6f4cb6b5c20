import type { Client } from "@connectrpc/connect";
import type { server as messages } from "@hostledger/protocol";

import { defined } from "@hostledger/runtime";
import { operation, type Caller, type Operation } from "../http/operation.ts";
import {
  addedFirewallRule,
  firewall,
  firewallDigestQuery,
  firewallRuleBody,
  firewallRulePath,
  serverPath,
  toggledFirewall,
  toggleFirewallBody,
} from "../schemas/server.schema.ts";
import { done } from "../schemas/values.schema.ts";
import { addedFirewallRuleView, firewallView, toggledFirewallView } from "../views/server.view.ts";

type ServerClient = Client<typeof messages.ServerService>;

const changeRefusals = ["server-not-active", "compute-unavailable", "quota-exceeded"] as const;

async function revisionOf(
  servers: Pick<ServerClient, "getServerRevision">,
  serverId: bigint,
  { call }: Caller,
): Promise<bigint> {
  return (await servers.getServerRevision({ serverId }, call)).revision;
}

export function firewallRoutes(servers: ServerClient): Operation[] {
  return [...ofFirewall(servers), ...ofRules(servers)];
}

function ofFirewall(servers: ServerClient): Operation[] {
  return [
    operation({
      id: "toggleFirewall",
      scopes: ["servers"],
      tag: "Servers",
      method: "post",
      path: "/servers/{server}/firewall/toggle",
      summary: "Turn the firewall on or off",
      request: { params: serverPath, body: toggleFirewallBody },
      responses: { 200: toggledFirewall },
      exampleMessage: "Firewall enabled",
      refusals: ["firewall-locked", ...changeRefusals],
      async handle({ params, body: { enable } }, { call }) {
        const toggled = await servers.toggleFirewall({ serverId: params.server, enable }, call);
        return { status: 200, body: toggledFirewallView(toggled) };
      },
    }),
    operation({
      id: "getFirewall",
      scopes: ["servers", "read"],
      tag: "Servers",
      method: "get",
      path: "/servers/{server}/firewall",
      summary: "Read the firewall's rules and options",
      request: { params: serverPath },
      responses: { 200: firewall },
      hasOwnTag: true,
      refusals: ["server-not-active", "compute-unavailable"],
      async handle({ params }, { call }) {
        const found = await servers.getFirewall({ serverId: params.server }, call);
        return { status: 200, body: firewallView(found), headers: { ETag: `"${found.digest}"` } };
      },
    }),
  ];
}

function ofRules(servers: ServerClient): Operation[] {
  return [
    operation({
      id: "addFirewallRule",
      scopes: ["servers"],
      tag: "Servers",
      method: "post",
      path: "/servers/{server}/firewall",
      summary: "Add a firewall rule behind the present ones",
      request: { params: serverPath, body: firewallRuleBody },
      responses: { 201: addedFirewallRule },
      exampleMessage: "Firewall rule added",
      refusals: changeRefusals,
      revisionOf: ({ params }, caller) => revisionOf(servers, params.server, caller),
      async handle({ params, body }, { call }) {
        const added = await servers.addFirewallRule({ serverId: params.server, ...body }, call);
        return { status: 201, body: addedFirewallRuleView(added) };
      },
    }),
    operation({
      id: "deleteFirewallRule",
      scopes: ["servers"],
      tag: "Servers",
      method: "delete",
      path: "/servers/{server}/firewall/{pos}",
      summary: "Remove a firewall rule; those behind it move up",
      description:
        "With `digest`, or with the `ETag` of `GET /servers/{server}/firewall` in `If-Match`, only where the rules are still those that were read.",
      request: { params: firewallRulePath, query: firewallDigestQuery },
      responses: { 200: done },
      exampleMessage: "Firewall rule deleted",
      refusals: ["protected-port", "firewall-changed", ...changeRefusals],
      conditionPath: "/servers/{server}/firewall",
      revisionOf: ({ params }, caller) => revisionOf(servers, params.server, caller),
      async handle({ params: { server: serverId, pos }, query: { digest } }, { call }) {
        await servers.removeFirewallRule({ serverId, pos, ...defined({ digest }) }, call);
        return { status: 200, body: { status: true, message: "Firewall rule deleted" } };
      },
    }),
  ];
}
