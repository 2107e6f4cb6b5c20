import type { ServerEvent, ServerOrderEvent, ServerRenewalEvent } from "@hostledger/core";
import {
  amount,
  because,
  chargeSentences,
  counted,
  onOff,
  staffSentences,
  type Sentences,
} from "./sentences.ts";

/** Servers. */
export const serverSentences: Sentences<ServerEvent> = {
  ServerOrdered: ({ serverId, planTitle, months }) =>
    `Server ${String(serverId)} (${planTitle}) was ordered for ${counted(months, "month")}.`,
  ServerProvisioned: ({ serverId, node, expiresAt }) =>
    `Server ${String(serverId)} runs on ${node} until ${expiresAt}.`,
  ServerOrderFailed: ({ serverId, reason }) =>
    `The order of server ${String(serverId)} ended without a server: ${reason}`,
  ServerRenewalBegun: ({ serverId, months, grossCents }) =>
    `A renewal of server ${String(serverId)} for ${counted(months, "month")} at ${amount(grossCents)} began.`,
  ServerRenewalFailed: ({ serverId, reason }) =>
    `The renewal of server ${String(serverId)} ended without one: ${reason}`,
  ServerRenewed: ({ serverId, months, expiresAt }) =>
    `Server ${String(serverId)} was renewed for ${counted(months, "month")}, until ${expiresAt}.`,
  ServerSuspended: ({ reason }) =>
    reason === "staff" ? "Staff suspended the server." : "The server expired and does not run.",
  ServerUnsuspended: () => "Staff lifted the server's suspension.",
  FirewallToggled: ({ enabled }) => `The firewall is ${onOff(enabled)}.`,
  FirewallRuleAdded: ({ rule }) => `The firewall rule ${rule.ruleId} (${rule.action}) was added.`,
  FirewallRuleRemoved: ({ ruleId }) => `The firewall rule ${ruleId} was removed.`,
  HostnameChanged: ({ hostname }) =>
    hostname === null ? "The host name was cleared." : `The host name is ${hostname}.`,
  ServerWhitelisted: () => "The server may turn its firewall off.",
  ServerWhitelistingRevoked: () => "The server may no longer turn its firewall off.",
};

/** Runs of server orders. */
export const serverOrderSentences: Sentences<ServerOrderEvent> = {
  ServerOrderStarted: ({ accountId, planTitle, months, regionCode }) =>
    `The order of a server (${planTitle}) in ${regionCode} for account ${String(accountId)}, for ${counted(months, "month")}, began.`,
  ServerOrderUnitTaken: () => "A unit of the plan is reserved.",
  ServerOrderRefused: ({ message }) => `Nothing was charged: ${message}`,
  ServerOrderPlaced: () => "The order is on the server's record.",
  ServerOrderCharged: chargeSentences.charged,
  ComputeOrderCompleted: ({ node, ipAddress }) => `The server was set up on ${node} as ${ipAddress}.`,
  ComputeOrderRefused: because("No server was set up"),
  ComputeOutcomeUnknown: because("What came of the order is unknown; the node is asked"),
  ComputeInquiryFailed: because("The node could not tell"),
  ComputeOrderNotHeld: () => "The node holds nothing; it is asked again, since orders come late.",
  ComputeOrderResumed: () => "The node holds nothing: the order is sent now.",
  ServerOrderFailureRecorded: () => "It is on record that the order failed.",
  ServerOrderNeverCharged: chargeSentences.never,
  ServerOrderChargeReturned: chargeSentences.returned,
  ComputeDestructionDue: () => "A server exists that nobody wants any longer: it is destroyed.",
  ComputeServerDestroyed: () => "The server was destroyed.",
  ServerOrderParked: staffSentences.waits,
  ServerOrderUnparked: staffSentences.retried,
  ServerOrderAbandoned: staffSentences.ended,
  ServerOrderCompleted: ({ outcome }) => `The order ended: ${outcome}.`,
};

/** Renewal runs of servers. */
export const serverRenewalSentences: Sentences<ServerRenewalEvent> = {
  ServerRenewalStarted: ({ accountId, serverId, months, grossCents }) =>
    `The renewal of server ${String(serverId)} for account ${String(accountId)}, for ${counted(months, "month")} at ${amount(grossCents)}, began.`,
  ServerRenewalCharged: chargeSentences.charged,
  ServerRenewalChargeRefused: chargeSentences.refused,
  ServerRenewalRecorded: ({ expiresAt }) => `The renewal is on the server's record, until ${expiresAt}.`,
  ServerRenewalNotRecorded: ({ message }) => `The server was not renewed: ${message}`,
  ServerRenewalNeverCharged: chargeSentences.never,
  ServerRenewalChargeReturned: chargeSentences.returned,
  ServerResumptionFailed: because("The suspended server did not start again"),
  ServerRenewalParked: staffSentences.waits,
  ServerRenewalUnparked: staffSentences.retried,
  ServerRenewalAbandoned: staffSentences.ended,
  ServerRenewalCompleted: ({ outcome }) => `The renewal ended: ${outcome}.`,
};
