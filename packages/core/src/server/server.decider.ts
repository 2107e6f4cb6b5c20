import { addMonthsOnDay, dayOfMonth } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { initialFirewallRules, isProvidersRule } from "./firewall-rule.ts";
import type {
  AddFirewallRule,
  OrderServer,
  RecordOrderFailed,
  RecordProvisioned,
  RemoveFirewallRule,
  ServerCommand,
  SuspendServer,
  ToggleFirewall,
} from "./server.commands.ts";
import type { ServerEvent, ServerSuspended } from "./server.events.ts";
import { evolve } from "./server.evolution.ts";
import { decideServerRenewal, isServerRenewalDue } from "./server.renewal.ts";
import { decideEnded, decideTermination } from "./server.termination.ts";
import {
  serverLimits,
  type ExistingServerState,
  type ProvisionedServer,
  type ServerState,
} from "./server.state.ts";

/** Rules of a server (stream `server-<id>`): its order, paid period, firewall and name. */
export const server: Decider<ServerCommand, ServerState, ServerEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

type ExistingCommand = Exclude<
  ServerCommand,
  { type: "OrderServer" | "RecordProvisioned" | "RecordOrderFailed" }
>;

function decide(command: ServerCommand, state: ServerState): Decision<ServerEvent> {
  switch (command.type) {
    case "OrderServer":
      return order(command, state);
    case "RecordProvisioned":
      return recordProvisioned(command, state);
    case "RecordOrderFailed":
      return recordOrderFailed(command, state);
    default:
      switch (state.status) {
        case "absent":
        case "failed":
          return reject("not-found");
        case "ordered":
          return reject("server-not-active");
        case "active":
        case "suspended":
          return decideExisting(command, state);
        case "terminating":
        case "terminated":
          return decideEnded(command, state);
        default:
          return assertNever(state);
      }
  }
}

function order({ data }: OrderServer, state: ServerState): Decision<ServerEvent> {
  if (state.status !== "absent")
    return orderIdOf(state) === data.orderId ? accept() : reject("order-not-found");
  const { at, ...ordered } = data;
  return accept({ type: "ServerOrdered", data: { ...ordered, orderedAt: at } });
}

/** Appends an event for each initial rule, so that readers know the whole firewall from events. */
function recordProvisioned({ data }: RecordProvisioned, state: ServerState): Decision<ServerEvent> {
  if (orderIdOf(state) !== data.orderId || state.status === "failed") return reject("order-not-found");
  if (state.status !== "ordered") return accept();
  const { serverId, accountId, planId, months } = state.order;
  const { at, ...provisioned } = data;
  const expiresAt = addMonthsOnDay(at, months, dayOfMonth(at));
  const rules = initialFirewallRules(data.orderId);
  return accept(
    {
      type: "ServerProvisioned",
      data: { ...provisioned, serverId, accountId, planId, provisionedAt: at, expiresAt },
    },
    ...rules.map((rule) => ({ type: "FirewallRuleAdded", data: { serverId, rule, addedAt: at } }) as const),
  );
}

/** Records a failed order. @returns `order-completed` if the server exists, because its charge must not be refunded. */
function recordOrderFailed({ data }: RecordOrderFailed, state: ServerState): Decision<ServerEvent> {
  if (orderIdOf(state) !== data.orderId) return reject("order-not-found");
  if (state.status === "failed") return accept();
  if (state.status !== "ordered") return reject("order-completed");
  const { orderId, serverId, accountId } = state.order;
  const { reason, at } = data;
  return accept({ type: "ServerOrderFailed", data: { orderId, serverId, accountId, reason, failedAt: at } });
}

function decideExisting(command: ExistingCommand, state: ExistingServerState): Decision<ServerEvent> {
  const { serverId, whitelisted, hostname, changes } = state.server;
  switch (command.type) {
    case "BeginServerRenewal":
    case "RecordServerRenewed":
    case "RecordServerRenewalFailed":
    case "SetServerAutoRenewal":
      return decideServerRenewal(command, state);
    case "SuspendServer":
      return suspend(command, state);
    case "UnsuspendServer": {
      if (state.status === "active") return accept();
      return accept({ type: "ServerUnsuspended", data: { serverId, unsuspendedAt: command.data.at } });
    }
    case "CancelServer":
    case "TerminateServer":
    case "EndServer":
      return decideTermination(command, state);
    case "RecordServerTerminated":
      return reject("server-not-active", "The server's termination has not begun.");
    case "ToggleFirewall":
      return toggleFirewall(command, state.server);
    case "AddFirewallRule":
      return addFirewallRule(command, state.server);
    case "RemoveFirewallRule":
      return removeFirewallRule(command, state.server);
    case "ChangeHostname": {
      const { changeId, hostname: wanted, at } = command.data;
      if (changes.includes(changeId) || wanted === hostname) return accept();
      return accept({
        type: "HostnameChanged",
        data: { serverId, changeId, hostname: wanted, changedAt: at },
      });
    }
    case "WhitelistServer": {
      if (whitelisted) return accept();
      return accept({ type: "ServerWhitelisted", data: { serverId, whitelistedAt: command.data.at } });
    }
    case "RevokeWhitelisting": {
      if (!whitelisted) return accept();
      return accept({ type: "ServerWhitelistingRevoked", data: { serverId, revokedAt: command.data.at } });
    }
    default:
      return assertNever(command);
  }
}

/** Suspends a server. For a suspended server, a public reason makes a hold; a note alone only replaces the note. */
function suspend({ data }: SuspendServer, state: ExistingServerState): Decision<ServerEvent> {
  const { reason, publicReason = null, note = null, at } = data;
  const { serverId, expiresAt } = state.server;
  if (state.status === "suspended") {
    const kept = note ?? state.note;
    if (publicReason !== null && publicReason !== state.hold?.publicReason)
      return accept(suspension({ serverId, reason, publicReason, note: kept, at }));
    if (kept === null || kept === state.note) return accept();
    return accept({ type: "ServerSuspensionNoted", data: { serverId, note: kept, notedAt: at } });
  }
  // The server was renewed after the caller read its expiry.
  if (reason === "expired" && at < expiresAt) return accept();
  // A renewal that is due or in progress comes before the suspension.
  if (reason === "expired" && (state.server.renewal !== null || isServerRenewalDue(state, at)))
    return accept();
  return accept(suspension({ serverId, reason, publicReason, note, at }));
}

function suspension({
  at: suspendedAt,
  ...data
}: Omit<ServerSuspended["data"], "hold" | "suspendedAt"> & { readonly at: string }): ServerSuspended {
  return {
    type: "ServerSuspended",
    data: { ...data, hold: data.publicReason !== null, suspendedAt },
  };
}

function toggleFirewall(
  { data: { changeId, enabled, at } }: ToggleFirewall,
  { serverId, firewall, whitelisted, changes }: ProvisionedServer,
): Decision<ServerEvent> {
  if (changes.includes(changeId)) return accept();
  // Refused even if the firewall is already off (specification §4.7, rule 2).
  if (!enabled && !whitelisted) return reject("firewall-locked");
  if (enabled === firewall.enabled) return accept();
  return accept({ type: "FirewallToggled", data: { serverId, changeId, enabled, toggledAt: at } });
}

function addFirewallRule(
  { data: { rule, at } }: AddFirewallRule,
  { serverId, firewall, changes }: ProvisionedServer,
): Decision<ServerEvent> {
  const { ruleId } = rule;
  // This change already added the rule, which may have been removed since.
  if (changes.includes(ruleId) || firewall.rules.some((one) => one.ruleId === ruleId)) return accept();
  const { firewallRules } = serverLimits;
  if (firewall.rules.length >= firewallRules) {
    return reject("validation-failed", `A server has at most ${String(firewallRules)} firewall rules.`, {
      fieldErrors: { rules: [`must be at most ${String(firewallRules)}: remove one first`] },
    });
  }
  return accept({ type: "FirewallRuleAdded", data: { serverId, rule, addedAt: at } });
}

function removeFirewallRule(
  { data: { changeId, ruleId, at } }: RemoveFirewallRule,
  { serverId, orderId, firewall, changes }: ProvisionedServer,
): Decision<ServerEvent> {
  if (changes.includes(changeId)) return accept();
  const rule = firewall.rules.find((one) => one.ruleId === ruleId);
  if (rule === undefined) return reject("not-found");
  if (isProvidersRule(orderId, rule)) return reject("protected-port");
  return accept({ type: "FirewallRuleRemoved", data: { serverId, changeId, ruleId, removedAt: at } });
}

function orderIdOf(state: ServerState): string | undefined {
  if (state.status === "absent") return undefined;
  return "server" in state ? state.server.orderId : state.order.orderId;
}
