import { initialFirewallRules } from "./firewall-rule.ts";
import type { OrderServer, RecordServerRenewed, ServerCommand } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import type {
  RecordedFirewallRule,
  ServerEvent,
  ServerProvisioned,
  ServerRenewalBegun,
  ServerRenewed,
} from "./server.events.ts";
import type { ProvisionedServer } from "./server.state.ts";

/** Examples of a server, for specs: account 7 orders the server 5 as o-1 on the last day of January. */

export const at = "2026-01-31T10:00:00.000000Z";
export const expiresAt = "2026-02-28T10:00:00.000000Z";
export const orderId = "o-1";

export const order = {
  orderId,
  serverId: 5,
  accountId: 7,
  planId: 2,
  planTitle: "S",
  regionId: 3,
  distroId: 1,
  distro: "Debian 13",
  months: 1,
  whitelisted: false,
  sshKey: null,
  monthGrossCents: "999",
} as const;

export const place = { node: "node-1", ipAddress: "192.0.2.5", rdns: "5.servers.hostledger.test" } as const;
export const charge = { chargeId: orderId, invoiceId: 101 } as const;

/** A customer's rule, whose id is the change's id. */
export const rule: RecordedFirewallRule = {
  ruleId: "c-rule",
  type: "in",
  action: "ACCEPT",
  proto: "tcp",
  dport: "80,443",
  sport: "",
  source: "",
  dest: "",
  comment: "web",
  enable: true,
};

const [mail, monitoring] = initialFirewallRules(orderId);
if (mail === undefined || monitoring === undefined) throw new Error("a new server has two rules");
export const initialRules = [mail, monitoring] as const;

const renewal = {
  renewalId: "n-1",
  months: 1,
  chargeId: "n-1",
  invoiceId: 102,
  grossCents: "999",
} as const;

export function orderServer(data: Partial<OrderServer["data"]> = {}): OrderServer {
  return { type: "OrderServer", data: { ...order, at, ...data } };
}

export function recordRenewed(data: Partial<RecordServerRenewed["data"]> = {}): RecordServerRenewed {
  return { type: "RecordServerRenewed", data: { ...renewal, at, ...data } };
}

export function provisioned(data: Partial<ServerProvisioned["data"]> = {}): ServerProvisioned {
  return {
    type: "ServerProvisioned",
    data: {
      orderId,
      serverId: 5,
      accountId: 7,
      planId: 2,
      ...place,
      ...charge,
      provisionedAt: at,
      expiresAt,
      ...data,
    },
  };
}

export function renewalBegun(data: Partial<ServerRenewalBegun["data"]> = {}): ServerRenewalBegun {
  const { accountId, planId, planTitle, monthGrossCents } = order;
  return {
    type: "ServerRenewalBegun",
    data: {
      renewalId: "n-1",
      serverId: 5,
      accountId,
      planId,
      planTitle,
      months: 1,
      monthGrossCents,
      discountPercent: 0,
      surchargePercent: 0,
      grossCents: "999",
      startedAt: at,
      hostname: null,
      period: { from: expiresAt, until: "2026-03-31T10:00:00.000000Z" },
      ...data,
    },
  };
}

export function renewed(data: Partial<ServerRenewed["data"]> = {}): ServerRenewed {
  return {
    type: "ServerRenewed",
    data: {
      ...renewal,
      serverId: 5,
      accountId: 7,
      wasSuspended: false,
      staysSuspended: false,
      previousExpiresAt: expiresAt,
      expiresAt: "2026-03-31T10:00:00.000000Z",
      renewedAt: at,
      ...data,
    },
  };
}

export const commands = {
  OrderServer: orderServer(),
  RecordProvisioned: { type: "RecordProvisioned", data: { orderId, ...place, ...charge, at } },
  RecordOrderFailed: { type: "RecordOrderFailed", data: { orderId, reason: "No node has room", at } },
  BeginServerRenewal: { type: "BeginServerRenewal", data: { renewalId: "n-1", months: 1, at } },
  RecordServerRenewed: recordRenewed(),
  SetServerAutoRenewal: { type: "SetServerAutoRenewal", data: { changeId: "c-auto", autoRenew: true, at } },
  RecordServerRenewalFailed: {
    type: "RecordServerRenewalFailed",
    data: { renewalId: "n-1", reason: "No money", requiredCents: null, at },
  },
  SuspendServer: { type: "SuspendServer", data: { reason: "staff", at } },
  UnsuspendServer: { type: "UnsuspendServer", data: { at } },
  ToggleFirewall: { type: "ToggleFirewall", data: { changeId: "c-toggle", enabled: false, at } },
  AddFirewallRule: { type: "AddFirewallRule", data: { rule, at } },
  RemoveFirewallRule: {
    type: "RemoveFirewallRule",
    data: { changeId: "c-remove", ruleId: rule.ruleId, at },
  },
  ChangeHostname: { type: "ChangeHostname", data: { changeId: "c-name", hostname: "web-1", at } },
  CancelServer: { type: "CancelServer", data: { changeId: "c-cancel", at } },
  TerminateServer: { type: "TerminateServer", data: { changeId: "c-end", reason: "customer", at } },
  EndServer: { type: "EndServer", data: { changeId: "c-end", terminationDays: 14, at } },
  RecordServerTerminated: { type: "RecordServerTerminated", data: { at } },
  WhitelistServer: { type: "WhitelistServer", data: { at } },
  RevokeWhitelisting: { type: "RevokeWhitelisting", data: { at } },
} as const satisfies { readonly [Type in ServerCommand["type"]]: Extract<ServerCommand, { type: Type }> };

export const samples = {
  ServerOrdered: { type: "ServerOrdered", data: { ...order, orderedAt: at } },
  ServerProvisioned: provisioned(),
  ServerOrderFailed: {
    type: "ServerOrderFailed",
    data: { orderId, serverId: 5, accountId: 7, reason: "No node has room", failedAt: at },
  },
  ServerRenewalBegun: renewalBegun(),
  ServerRenewalFailed: {
    type: "ServerRenewalFailed",
    data: {
      renewalId: "n-1",
      serverId: 5,
      accountId: 7,
      reason: "No money",
      failedAt: at,
      automatic: false,
      expiresAt,
      requiredCents: null,
    },
  },
  ServerAutoRenewalChanged: {
    type: "ServerAutoRenewalChanged",
    data: { serverId: 5, changeId: "c-auto", autoRenew: true, changedAt: at },
  },
  ServerRenewed: renewed(),
  ServerSuspended: {
    type: "ServerSuspended",
    data: { serverId: 5, reason: "staff", hold: false, publicReason: null, note: null, suspendedAt: at },
  },
  ServerSuspensionNoted: {
    type: "ServerSuspensionNoted",
    data: { serverId: 5, note: "Ticket 17", notedAt: at },
  },
  ServerUnsuspended: { type: "ServerUnsuspended", data: { serverId: 5, unsuspendedAt: at } },
  ServerCancelled: {
    type: "ServerCancelled",
    data: { changeId: "c-cancel", serverId: 5, accountId: 7, endsAt: expiresAt, cancelledAt: at },
  },
  ServerTerminationBegun: {
    type: "ServerTerminationBegun",
    data: { changeId: "c-end", serverId: 5, accountId: 7, reason: "customer", begunAt: at },
  },
  ServerTerminated: {
    type: "ServerTerminated",
    data: {
      serverId: 5,
      accountId: 7,
      node: place.node,
      ipAddress: place.ipAddress,
      terminatedAt: at,
    },
  },
  FirewallToggled: {
    type: "FirewallToggled",
    data: { serverId: 5, changeId: "c-toggle", enabled: false, toggledAt: at },
  },
  FirewallRuleAdded: { type: "FirewallRuleAdded", data: { serverId: 5, rule, addedAt: at } },
  FirewallRuleRemoved: {
    type: "FirewallRuleRemoved",
    data: { serverId: 5, changeId: "c-remove", ruleId: rule.ruleId, removedAt: at },
  },
  HostnameChanged: {
    type: "HostnameChanged",
    data: { serverId: 5, changeId: "c-name", hostname: "web-1", changedAt: at },
  },
  ServerWhitelisted: { type: "ServerWhitelisted", data: { serverId: 5, whitelistedAt: at } },
  ServerWhitelistingRevoked: { type: "ServerWhitelistingRevoked", data: { serverId: 5, revokedAt: at } },
} as const satisfies { readonly [Type in ServerEvent["type"]]: Extract<ServerEvent, { type: Type }> };

export const provisioning: readonly ServerEvent[] = [
  samples.ServerProvisioned,
  ...initialRules.map((initial): ServerEvent => ({
    type: "FirewallRuleAdded",
    data: { serverId: 5, rule: initial, addedAt: at },
  })),
];

const active: readonly ServerEvent[] = [samples.ServerOrdered, ...provisioning];

export const histories = {
  absent: [],
  ordered: [samples.ServerOrdered],
  failed: [samples.ServerOrdered, samples.ServerOrderFailed],
  active,
  suspended: [...active, samples.ServerSuspended],
  terminating: [...active, samples.ServerTerminationBegun],
  terminated: [...active, samples.ServerTerminationBegun, samples.ServerTerminated],
} as const satisfies Readonly<Record<string, readonly ServerEvent[]>>;

export function serverAfter(...more: readonly ServerEvent[]): ProvisionedServer {
  const state = [...active, ...more].reduce(server.evolve, server.initialState);
  if (!("server" in state)) throw new Error("there is no server");
  return state.server;
}
