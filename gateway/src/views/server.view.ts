import type { server as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type * as schemas from "../schemas/server.schema.ts";
import { euros } from "./money.view.ts";
import { present } from "./present.ts";

/** A server as lists and answers show it. */
export function serverView(server: messages.Server): z.infer<typeof schemas.server> {
  return {
    id: Number(server.id),
    hostname: server.hostname ?? null,
    ip_address: server.ipAddress,
    node: server.node,
    rdns: server.rdns,
    distro: server.distro,
    status: server.status,
    plan_id: Number(server.planId),
    suspended: server.suspended,
    created_at: server.createdAt,
    expiry_date: server.expiryDate,
  };
}

/** A renewal that succeeded. */
export function renewedServerView(
  response: messages.RenewServerResponse,
): z.infer<typeof schemas.renewedServer> {
  const server = present(response.server, "RenewServerResponse.server");
  return {
    status: true,
    message: "Server renewed",
    invoice_id: Number(response.invoiceId),
    amount_charged: euros(response.amountChargedCents),
    new_expiry_date: response.newExpiryDate,
    server: {
      id: Number(server.id),
      ip_address: server.ipAddress,
      expiry_date: server.expiryDate,
      suspended: server.suspended,
    },
  };
}

/** An order that succeeded. */
export function orderedServerView(
  response: messages.OrderServerResponse,
): z.infer<typeof schemas.orderedServer> {
  return {
    success: true,
    server_id: Number(response.serverId),
    invoice_id: Number(response.invoiceId),
    duration: response.duration,
    amount_charged: euros(response.amountChargedCents),
    expiry_date: response.expiryDate,
  };
}

/** The firewall's state after it was toggled. */
export function toggledFirewallView({
  enabled,
}: messages.ToggleFirewallResponse): z.infer<typeof schemas.toggledFirewall> {
  return { status: true, message: `Firewall ${enabled ? "enabled" : "disabled"}`, enabled };
}

// Proxmox VE writes its flags as numbers, and so does the specification (§2.4).
const numeric = (flag: boolean): 0 | 1 => (flag ? 1 : 0);

function firewallRuleView(rule: messages.FirewallRule): z.infer<typeof schemas.firewallRule> {
  return {
    pos: rule.pos,
    type: rule.type,
    action: rule.action,
    proto: rule.proto,
    dport: rule.dport,
    sport: rule.sport,
    source: rule.source,
    dest: rule.dest,
    comment: rule.comment,
    enable: numeric(rule.enable),
  };
}

/** A firewall with its rules and options. */
export function firewallView(response: messages.GetFirewallResponse): z.infer<typeof schemas.firewall> {
  const options = present(response.options, "GetFirewallResponse.options");
  return {
    status: true,
    rules: response.rules.map(firewallRuleView),
    options: {
      enable: numeric(options.enable),
      policy_in: options.policyIn,
      policy_out: options.policyOut,
      log_level_in: options.logLevelIn,
      log_level_out: options.logLevelOut,
      macfilter: numeric(options.macfilter),
      dhcp: numeric(options.dhcp),
      ndp: numeric(options.ndp),
      radv: numeric(options.radv),
      ipfilter: numeric(options.ipfilter),
    },
  };
}

/** A rule that was added. */
export function addedFirewallRuleView(
  response: messages.AddFirewallRuleResponse,
): z.infer<typeof schemas.addedFirewallRule> {
  const rule = present(response.rule, "AddFirewallRuleResponse.rule");
  return { status: true, message: "Firewall rule added", rule: firewallRuleView(rule) };
}

/** The display host name after it was set or cleared. */
export function updatedHostnameView(
  response: messages.UpdateHostnameResponse,
): z.infer<typeof schemas.updatedHostname> {
  const hostname = response.hostname ?? null;
  return { status: true, message: hostname === null ? "Hostname cleared" : "Hostname updated", hostname };
}
