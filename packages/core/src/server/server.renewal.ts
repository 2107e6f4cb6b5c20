import { addMonthsOnDay } from "../calendar/calendar.ts";
import { automaticTryId, nextAutomaticTryAt } from "../kernel/automatic-renewal.ts";
import { accept, reject, type Decision } from "../kernel/decider.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import { quoteServerRenewal, type ServerQuote } from "../pricing/server-renewal.ts";
import type {
  BeginServerRenewal,
  RecordServerRenewalFailed,
  RecordServerRenewed,
  SetServerAutoRenewal,
} from "./server.commands.ts";
import type { ServerEvent } from "./server.events.ts";
import { renewalBasis } from "./server.evolution.ts";
import type { ExistingServerState, ProvisionedServer, ServerState } from "./server.state.ts";

/** Latest start of a paid period, because instants have years of four digits. */
const latestBasis = "9000-01-01T00:00:00.000000Z";

export interface AutomaticServerRenewal {
  readonly renewalId: string;
  /** Automatic renewals are for one month, the shortest period. */
  readonly months: 1;
  readonly dueAt: string;
}

/** Returns the next automatic renewal, due or not; undefined if there is none. */
export function nextServerRenewal(state: ServerState): AutomaticServerRenewal | undefined {
  // Suspended servers are not renewed automatically. An expired server had its last renewal attempt at expiry.
  if (state.status !== "active" || !state.server.autoRenew || state.server.renewal !== null) return undefined;
  const { expiresAt, automaticTries } = state.server;
  const dueAt = nextAutomaticTryAt(expiresAt, automaticTries.lastFailureAt);
  return dueAt === null ? undefined : { renewalId: nextTryId(state.server), months: 1, dueAt };
}

function nextTryId({ serverId, expiresAt, automaticTries }: ProvisionedServer): string {
  return automaticTryId(`serverrenewal-auto-${String(serverId)}`, expiresAt, automaticTries);
}

/** Returns true if the automatic renewal is due, or if the balance now covers the last attempt's price. */
export function isServerRenewalDue(state: ServerState, at: string, availableCents = 0n): boolean {
  const next = nextServerRenewal(state);
  if (next === undefined || !("server" in state)) return false;
  const { missedCents } = state.server.automaticTries;
  return next.dueAt <= at || (missedCents !== null && availableCents >= missedCents);
}

export function quoteRenewalOf(state: ExistingServerState, months: number): ServerQuote {
  return quoteServerRenewal(BigInt(state.server.monthGrossCents), months, state.status === "suspended");
}

/** Refuses customers' commands on a server that staff hold; returns undefined without a hold. */
export function heldRejection(state: ServerState): Rejection | undefined {
  if (state.status !== "suspended" || state.hold === null) return undefined;
  const { publicReason } = state.hold;
  // Older holds have no public reason.
  if (publicReason === null) return rejection("server-held");
  return rejection(
    "server-held",
    `The provider's staff hold the server: ${publicReason.replace(/\.$/u, "")}. Ask support what must happen before they release it.`,
    { reason: publicReason },
  );
}

/** Rules of a server's renewals: one at a time, at the price of its beginning. */
export function decideServerRenewal(
  command: BeginServerRenewal | RecordServerRenewed | RecordServerRenewalFailed | SetServerAutoRenewal,
  state: ExistingServerState,
): Decision<ServerEvent> {
  switch (command.type) {
    case "BeginServerRenewal":
      return begin(command, state);
    case "RecordServerRenewed":
      return recordRenewed(command, state);
    case "RecordServerRenewalFailed": {
      const { renewalId, reason, requiredCents, at } = command.data;
      const { serverId, accountId, expiresAt, renewal } = state.server;
      // During a renewal neither failures nor expiry change, so this id proves an automatic renewal.
      const automatic = renewalId === nextTryId(state.server);
      // The renewal is already recorded or unknown, so its failure changes nothing.
      if (renewal?.renewalId !== renewalId) return accept();
      return accept({
        type: "ServerRenewalFailed",
        data: { renewalId, serverId, accountId, reason, failedAt: at, automatic, expiresAt, requiredCents },
      });
    }
    case "SetServerAutoRenewal":
      return setAutomatic(command, state);
  }
}

/** Begins a renewal and fixes its price, because the stream contains the current suspension. */
function begin({ data }: BeginServerRenewal, state: ExistingServerState): Decision<ServerEvent> {
  const { renewalId, months, at } = data;
  const { serverId, accountId, planId, planTitle, monthGrossCents, renewal, renewals, hostname } =
    state.server;
  if (renewal?.renewalId === renewalId || renewals.some((one) => one.renewalId === renewalId))
    return accept();
  if (renewal !== null) return reject("renewal-in-flight", "Another renewal of the server is in flight.");
  const held = heldRejection(state);
  if (held !== undefined) return { accepted: false, rejection: held };
  const isDue =
    nextServerRenewal(state)?.renewalId === renewalId &&
    isServerRenewalDue(state, at, data.automatic?.availableCents);
  if (data.automatic !== undefined && !isDue)
    return reject("server-not-active", "No automatic renewal of the server is due.");
  const { discountPercent, surchargePercent, grossCents } = quoteRenewalOf(state, months);
  const { from, anchorDay } = renewalBasis(state.server, at);
  return accept({
    type: "ServerRenewalBegun",
    data: {
      renewalId,
      serverId,
      accountId,
      planId,
      planTitle,
      months,
      monthGrossCents,
      discountPercent,
      surchargePercent,
      grossCents: String(grossCents),
      startedAt: at,
      hostname,
      period: { from, until: addMonthsOnDay(from, months, anchorDay) },
    },
  });
}

function setAutomatic(
  { data: { changeId, autoRenew, at } }: SetServerAutoRenewal,
  { server }: ExistingServerState,
): Decision<ServerEvent> {
  const { serverId, expiresAt, changes } = server;
  if (changes.includes(changeId) || autoRenew === server.autoRenew) return accept();
  if (autoRenew && at >= expiresAt)
    return reject("server-not-active", "The server's paid time is over: renew it first.");
  return accept({ type: "ServerAutoRenewalChanged", data: { serverId, changeId, autoRenew, changedAt: at } });
}

/** Records a renewal: new expiry = max(old expiry, now) + months, on the anchor day (contract, status codes). */
function recordRenewed({ data }: RecordServerRenewed, state: ExistingServerState): Decision<ServerEvent> {
  const { at, ...renewal } = data;
  const { serverId, accountId, renewals, expiresAt: previousExpiresAt } = state.server;
  if (renewals.some(({ renewalId }) => renewalId === renewal.renewalId)) return accept();
  const { from, anchorDay } = renewalBasis(state.server, at);
  if (from >= latestBasis) {
    return reject("validation-failed", "The server cannot be renewed beyond the year 9000.", {
      fieldErrors: { duration: ["must not reach beyond the year 9000"] },
    });
  }
  return accept({
    type: "ServerRenewed",
    data: {
      ...renewal,
      serverId,
      accountId,
      wasSuspended: state.status === "suspended",
      staysSuspended: state.status === "suspended" && state.hold !== null,
      previousExpiresAt,
      expiresAt: addMonthsOnDay(from, renewal.months, anchorDay),
      renewedAt: at,
    },
  });
}
