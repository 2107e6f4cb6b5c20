import { dayOfMonth } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import type {
  ServerEvent,
  ServerProvisioned,
  ServerRenewalFailed,
  ServerRenewed,
  ServerSuspended,
} from "./server.events.ts";
import {
  serverLimits,
  type ExistingServerState,
  type OrderedServer,
  type ProvisionedServer,
  type RecordedRenewal,
  type ServerState,
} from "./server.state.ts";

/** Applies an event to a server. @throws CorruptStreamError if the event cannot follow the state. */
export function evolve(state: ServerState, event: ServerEvent): ServerState {
  const next = step(state, event);
  if (next === undefined) throw new CorruptStreamError(event.type, state.status);
  return next;
}

/** Returns the start and anchor day of a renewal: the old expiry and its anchor day, or now if the server has expired. */
export function renewalBasis(
  { expiresAt, anchorDay }: Pick<ProvisionedServer, "expiresAt" | "anchorDay">,
  at: string,
): { readonly from: string; readonly anchorDay: number } {
  return at > expiresAt ? { from: at, anchorDay: dayOfMonth(at) } : { from: expiresAt, anchorDay };
}

/** Returns the state after the event; undefined if the event cannot follow. */
function step(state: ServerState, event: ServerEvent): ServerState | undefined {
  switch (event.type) {
    case "ServerOrdered": {
      if (state.status !== "absent") return undefined;
      const { sshKey: _, orderedAt: __, ...order } = event.data;
      return { status: "ordered", order };
    }
    case "ServerProvisioned":
      if (state.status !== "ordered") return undefined;
      return { status: "active", server: provisioned(state.order, event.data) };
    case "ServerOrderFailed":
      if (state.status !== "ordered") return undefined;
      return { status: "failed", order: state.order, reason: event.data.reason };
    case "ServerRenewed":
      return isExisting(state) ? afterRenewal(state, event.data) : undefined;
    case "ServerSuspended":
      return isExisting(state) ? suspended(state, event.data) : undefined;
    case "ServerSuspensionNoted":
      return state.status === "suspended" ? { ...state, note: event.data.note } : undefined;
    case "ServerUnsuspended":
      if (state.status !== "suspended") return undefined;
      return { status: "active", server: { ...state.server, releasedAt: event.data.unsuspendedAt } };
    case "ServerTerminationBegun":
      if (!isExisting(state)) return undefined;
      return { status: "terminating", server: state.server, termination: event.data };
    case "ServerTerminated":
      return state.status === "terminating" ? { ...state, status: "terminated" } : undefined;
    default:
      return isExisting(state) ? { ...state, server: stepSettings(state.server, event) } : undefined;
  }
}

function isExisting(state: ServerState): state is ExistingServerState {
  return state.status === "active" || state.status === "suspended";
}

function afterRenewal(state: ExistingServerState, event: ServerRenewed["data"]): ServerState | undefined {
  const server = renewed(state.server, event);
  if (!event.staysSuspended) return { status: "active", server };
  return state.status === "suspended" ? { ...state, server } : undefined;
}

/** Applies a suspension. Staff may hold a suspended server, or change the reason of a hold. */
function suspended(
  state: ExistingServerState,
  { reason, hold, publicReason, note, suspendedAt }: ServerSuspended["data"],
): ServerState | undefined {
  if (state.status === "suspended" && !hold) return undefined;
  const { server } = state;
  return { status: "suspended", server, reason, hold: hold ? { publicReason } : null, note, suspendedAt };
}

function provisioned(order: OrderedServer, event: ServerProvisioned["data"]): ProvisionedServer {
  const { node, ipAddress, rdns, provisionedAt, expiresAt } = event;
  return {
    ...order,
    node,
    ipAddress,
    rdns,
    provisionedAt,
    expiresAt,
    anchorDay: dayOfMonth(provisionedAt),
    releasedAt: null,
    cancelled: false,
    autoRenew: false,
    automaticTries: noTries,
    hostname: null,
    firewall: { enabled: true, rules: [] },
    renewal: null,
    renewals: [],
    changes: [],
  };
}

const noTries = { failures: 0, lastFailureAt: null, missedCents: null } as const;

function triesAfter(
  { automaticTries: tries }: ProvisionedServer,
  { automatic, requiredCents, failedAt }: ServerRenewalFailed["data"],
): ProvisionedServer["automaticTries"] {
  if (!automatic) return tries;
  const missedCents = requiredCents === null ? null : BigInt(requiredCents);
  return { failures: tries.failures + 1, lastFailureAt: failedAt, missedCents };
}

function renewed(server: ProvisionedServer, event: ServerRenewed["data"]): ProvisionedServer {
  const { renewalId, months, chargeId, invoiceId, grossCents, wasSuspended, expiresAt, renewedAt } = event;
  const renewal: RecordedRenewal = {
    renewalId,
    months,
    chargeId,
    invoiceId,
    grossCents,
    wasSuspended,
    expiresAt,
  };
  return {
    ...server,
    cancelled: false,
    automaticTries: noTries,
    expiresAt,
    anchorDay: renewalBasis(server, renewedAt).anchorDay,
    renewal: server.renewal?.renewalId === renewalId ? null : server.renewal,
    renewals: latest(server.renewals, renewal, serverLimits.rememberedRenewals),
  };
}

type SettingsEvent = Exclude<
  ServerEvent,
  {
    type:
      | "ServerOrdered"
      | "ServerProvisioned"
      | "ServerOrderFailed"
      | "ServerRenewed"
      | "ServerSuspended"
      | "ServerSuspensionNoted"
      | "ServerUnsuspended"
      | "ServerTerminationBegun"
      | "ServerTerminated";
  }
>;

function stepSettings(server: ProvisionedServer, event: SettingsEvent): ProvisionedServer {
  const { firewall } = server;
  const changed = (changeId: string): Pick<ProvisionedServer, "changes"> => ({
    changes: latest(server.changes, changeId, serverLimits.rememberedChanges),
  });
  switch (event.type) {
    case "ServerRenewalBegun":
      if (server.renewal !== null) throw new CorruptStreamError(event.type, "renewing");
      return { ...server, renewal: event.data };
    case "ServerRenewalFailed":
      if (server.renewal?.renewalId !== event.data.renewalId)
        throw new CorruptStreamError(event.type, "no such renewal");
      return { ...server, renewal: null, automaticTries: triesAfter(server, event.data) };
    case "ServerAutoRenewalChanged": {
      const { changeId, autoRenew } = event.data;
      const cancelled = server.cancelled && !autoRenew;
      return { ...server, ...changed(changeId), autoRenew, cancelled };
    }
    case "ServerCancelled":
      return { ...server, ...changed(event.data.changeId), cancelled: true, autoRenew: false };
    case "FirewallToggled": {
      const { changeId, enabled } = event.data;
      return { ...server, ...changed(changeId), firewall: { ...firewall, enabled } };
    }
    case "FirewallRuleAdded": {
      const { rule } = event.data;
      const rules = [...firewall.rules, rule];
      return { ...server, ...changed(rule.ruleId), firewall: { ...firewall, rules } };
    }
    case "FirewallRuleRemoved": {
      const { changeId, ruleId } = event.data;
      const rules = firewall.rules.filter((rule) => rule.ruleId !== ruleId);
      if (rules.length === firewall.rules.length) throw new CorruptStreamError(event.type, "no such rule");
      return { ...server, ...changed(changeId), firewall: { ...firewall, rules } };
    }
    case "HostnameChanged": {
      const { changeId, hostname } = event.data;
      return { ...server, ...changed(changeId), hostname };
    }
    case "ServerWhitelisted":
      return { ...server, whitelisted: true };
    case "ServerWhitelistingRevoked":
      return { ...server, whitelisted: false };
    default:
      return assertNever(event);
  }
}

function latest<Item>(items: readonly Item[], item: Item, limit: number): readonly Item[] {
  return [...items, item].slice(-limit);
}
