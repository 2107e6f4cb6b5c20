import { server as messages } from "@hostledger/protocol";

import type { z } from "zod";

import * as schemas from "../schemas/server.schema.ts";
import { present, view } from "./view.codec.ts";

export const serverView = view(messages.ServerSchema, schemas.server, {});

const renewedView = view(messages.ServerSchema, schemas.renewedServer.shape.server, {});

export const renewedServerView = view(messages.RenewServerResponseSchema, schemas.renewedServer, {
  status: true,
  message: "Server renewed",
  server: ({ server }) => renewedView(present(server, "RenewServerResponse.server")),
});

/** Answer of a cancellation, with the server's end. */
export function cancelledServerView(
  changed: messages.Server | undefined,
): z.infer<typeof schemas.changedServer> {
  const server = serverView(present(changed, "CancelServerResponse.server"));
  const message =
    server.status === "active" || server.status === "suspended"
      ? `Server cancelled: it ends on ${server.expiry_date.slice(0, 10)}, and its data with it. A renewal takes that back`
      : "Server terminated: its data are destroyed now. What was paid is not returned";
  return { status: true, message, server };
}

/** Answer of changed settings, with the renewal or end of the paid term. */
export function changedServerView(
  changed: messages.Server | undefined,
): z.infer<typeof schemas.changedServer> {
  const server = serverView(present(changed, "UpdateServerSettingsResponse.server"));
  const day = server.expiry_date.slice(0, 10);
  const message = server.auto_renew
    ? `Settings updated: the server renews itself before ${day}`
    : `Settings updated: the server is paid for until ${day}`;
  return { status: true, message, server };
}

export const orderedServerView = view(messages.OrderServerResponseSchema, schemas.orderedServer, {
  success: true,
});

export const toggledFirewallView = view(messages.ToggleFirewallResponseSchema, schemas.toggledFirewall, {
  status: true,
  message: ({ enabled }) => `Firewall ${enabled ? "enabled" : "disabled"}`,
});

// The specification (§2.4) writes flags as numbers, like Proxmox VE.
const numeric = (flag: boolean): 0 | 1 => (flag ? 1 : 0);

const firewallRuleView = view(messages.FirewallRuleSchema, schemas.firewallRule, {
  enable: ({ enable }) => numeric(enable),
});

const firewallOptionsView = view(messages.FirewallOptionsSchema, schemas.firewallOptions, {
  enable: ({ enable }) => numeric(enable),
  macfilter: ({ macfilter }) => numeric(macfilter),
  dhcp: ({ dhcp }) => numeric(dhcp),
  ndp: ({ ndp }) => numeric(ndp),
  radv: ({ radv }) => numeric(radv),
  ipfilter: ({ ipfilter }) => numeric(ipfilter),
});

export const firewallView = view(messages.GetFirewallResponseSchema, schemas.firewall, {
  status: true,
  rules: ({ rules }) => rules.map(firewallRuleView),
  options: ({ options }) => firewallOptionsView(present(options, "GetFirewallResponse.options")),
});

export const addedFirewallRuleView = view(messages.AddFirewallRuleResponseSchema, schemas.addedFirewallRule, {
  status: true,
  message: "Firewall rule added",
  rule: ({ rule }) => firewallRuleView(present(rule, "AddFirewallRuleResponse.rule")),
});

export const updatedHostnameView = view(messages.UpdateHostnameResponseSchema, schemas.updatedHostname, {
  status: true,
  message: ({ hostname }) => (hostname === undefined ? "Hostname cleared" : "Hostname updated"),
});
