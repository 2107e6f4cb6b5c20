import { server as messages } from "@hostledger/protocol";

import type { z } from "zod";

import * as schemas from "../schemas/server.schema.ts";
import { present, view } from "./view.codec.ts";

/** A server as lists and answers show it. */
export const serverView = view(messages.ServerSchema, schemas.server, {});

/** A server as the answer to its renewal shows it. */
const renewedView = view(messages.ServerSchema, schemas.renewedServer.shape.server, {});

/** A renewal that succeeded. */
export const renewedServerView = view(messages.RenewServerResponseSchema, schemas.renewedServer, {
  status: true,
  message: "Server renewed",
  server: ({ server }) => renewedView(present(server, "RenewServerResponse.server")),
});

/** A server that was cancelled, with what will become of it. */
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

/** A server after its automatic renewal was turned on or off. */
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

/** An order that succeeded. */
export const orderedServerView = view(messages.OrderServerResponseSchema, schemas.orderedServer, {
  success: true,
});

/** The firewall's state after it was toggled. */
export const toggledFirewallView = view(messages.ToggleFirewallResponseSchema, schemas.toggledFirewall, {
  status: true,
  message: ({ enabled }) => `Firewall ${enabled ? "enabled" : "disabled"}`,
});

// Proxmox VE writes its flags as numbers, and so does the specification (§2.4).
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

/** A firewall with its rules and options. */
export const firewallView = view(messages.GetFirewallResponseSchema, schemas.firewall, {
  status: true,
  rules: ({ rules }) => rules.map(firewallRuleView),
  options: ({ options }) => firewallOptionsView(present(options, "GetFirewallResponse.options")),
});

/** A rule that was added. */
export const addedFirewallRuleView = view(messages.AddFirewallRuleResponseSchema, schemas.addedFirewallRule, {
  status: true,
  message: "Firewall rule added",
  rule: ({ rule }) => firewallRuleView(present(rule, "AddFirewallRuleResponse.rule")),
});

/** The display host name after it was set or cleared. */
export const updatedHostnameView = view(messages.UpdateHostnameResponseSchema, schemas.updatedHostname, {
  status: true,
  message: ({ hostname }) => (hostname === undefined ? "Hostname cleared" : "Hostname updated"),
});
