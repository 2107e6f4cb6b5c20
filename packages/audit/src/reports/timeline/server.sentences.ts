import { counted, type ServerEvent } from "@hostledger/core";

import { amount, onOff, suspendedByStaff, type Sentences } from "./sentences.ts";

export const serverSentences: Sentences<ServerEvent> = {
  ServerOrdered: ({ serverId, planTitle, months }) =>
    `Server ${String(serverId)} (${planTitle}) was ordered for ${counted(months, "month")}.`,
  ServerProvisioned: ({ serverId, node, expiresAt }) =>
    `Server ${String(serverId)} runs on ${node} until ${expiresAt}.`,
  ServerOrderFailed: ({ serverId, reason }) => `The order of server ${String(serverId)} failed: ${reason}`,
  ServerRenewalBegun: ({ serverId, months, grossCents }) =>
    `A renewal of server ${String(serverId)} for ${counted(months, "month")} at ${amount(grossCents)} began.`,
  ServerRenewalFailed: ({ serverId, reason }) =>
    `The renewal of server ${String(serverId)} failed: ${reason}`,
  ServerRenewed: ({ serverId, months, expiresAt, staysSuspended }) =>
    `Server ${String(serverId)} was renewed for ${counted(months, "month")}, until ${expiresAt}${staysSuspended ? "; it stays suspended" : ""}.`,
  ServerSuspended: ({ reason, hold, publicReason, note }) => {
    if (reason === "expired") return "The server expired and was switched off.";
    const said = [publicReason, note === null ? null : `(note: ${note})`].filter((part) => part !== null);
    const suspended = suspendedByStaff("server", said.length === 0 ? null : said.join(" "));
    return hold ? `${suspended} A renewal does not lift this hold.` : suspended;
  },
  ServerSuspensionNoted: ({ note }) => `Staff added a note to the server's suspension: ${note}`,
  ServerUnsuspended: () => "Staff lifted the server's suspension.",
  ServerAutoRenewalChanged: ({ autoRenew }) =>
    `Automatic renewal of the server was turned ${onOff(autoRenew)}.`,
  ServerCancelled: ({ endsAt }) => `The server was cancelled and ends on ${endsAt}.`,
  ServerTerminationBegun: ({ reason }) =>
    `The termination of the server began: ${
      { expired: "it was not renewed", customer: "the customer ended it", staff: "staff ended it" }[reason]
    }.`,
  ServerTerminated: ({ node, ipAddress }) =>
    `The machine on ${node} was destroyed; its address ${ipAddress} is free.`,
  FirewallToggled: ({ enabled }) => `The firewall is ${onOff(enabled)}.`,
  FirewallRuleAdded: ({ rule }) => `The firewall rule ${rule.ruleId} (${rule.action}) was added.`,
  FirewallRuleRemoved: ({ ruleId }) => `The firewall rule ${ruleId} was removed.`,
  HostnameChanged: ({ hostname }) =>
    hostname === null ? "The host name was cleared." : `The host name is ${hostname}.`,
  ServerWhitelisted: () => "The server may turn its firewall off.",
  ServerWhitelistingRevoked: () => "The server may no longer turn its firewall off.",
};
