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

/** Servers are paid for until some far day at most: instants have years of four digits. */
const latestBasis = "9000-01-01T00:00:00.000000Z";

/** The next automatic renewal of a server. */
export interface AutomaticServerRenewal {
  readonly renewalId: string;
  /** Automatic renewals are of a month: the least that is sold. */
  readonly months: 1;
  readonly dueAt: string;
}

/** The next automatic renewal, whether or not it is due yet; undefined while there is none. */
export function nextServerRenewal(state: ServerState): AutomaticServerRenewal | undefined {
  // One that staff suspended is not paid for unasked; one that expired had its last try then.
  if (state.status !== "active" || !state.server.autoRenew || state.server.renewal !== null) return undefined;
  const { expiresAt, automaticTries } = state.server;
  const dueAt = nextAutomaticTryAt(expiresAt, automaticTries.lastFailureAt);
  return dueAt === null ? undefined : { renewalId: nextTryId(state.server), months: 1, dueAt };
}

function nextTryId({ serverId, expiresAt, automaticTries }: ProvisionedServer): string {
  return automaticTryId(`serverrenewal-auto-${String(serverId)}`, expiresAt, automaticTries);
}

/** True where it is time for it, or what the last one lacked is there. */
export function isServerRenewalDue(state: ServerState, at: string, availableCents = 0n): boolean {
  const next = nextServerRenewal(state);
  if (next === undefined || !("server" in state)) return false;
  const { missedCents } = state.server.automaticTries;
  return next.dueAt <= at || (missedCents !== null && availableCents >= missedCents);
}

/** The price of a server's renewal as it stands now. */
export function quoteRenewalOf(state: ExistingServerState, months: number): ServerQuote {
  return quoteServerRenewal(BigInt(state.server.monthGrossCents), months, state.status === "suspended");
}

/** Refuses what a customer may not do with a server that staff hold; undefined where there is no hold. */
export function heldRejection(state: ServerState): Rejection | undefined {
  if (state.status !== "suspended" || state.hold === null) return undefined;
  const { publicReason } = state.hold;
  // Holds of before reasons were public have none to show.
  if (publicReason === null) return rejection("server-held");
  return rejection(
    "server-held",
    `The provider's staff hold the server: ${publicReason.replace(/\.$/u, "")}. Ask support what must happen before they release it.`,
    { reason: publicReason },
  );
}

/** The rules of a server's renewals: one at a time, at the price of the moment in which it begins. */
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
      // Nothing else bears its name: while it is under way neither the tries nor the expiry change.
      const automatic = renewalId === nextTryId(state.server);
      // One that was recorded stays, and one that the server does not know of needs no word of its end.
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

/** The price is settled here, where the suspension is known for certain. */
function begin({ data }: BeginServerRenewal, state: ExistingServerState): Decision<ServerEvent> {
  const { renewalId, months, at } = data;
  const { serverId, accountId, planId, planTitle, monthGrossCents, renewal, renewals } = state.server;
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

/** New expiry = max(old expiry, now) + months, the anchor day kept and clamped (contract, status codes). */
function recordRenewed({ data }: RecordServerRenewed, state: ExistingServerState): Decision<ServerEvent> {
  const { at, ...renewal } = data;
  const { serverId, accountId, renewals, expiresAt: previousExpiresAt } = state.server;
  if (renewals.some(({ renewalId }) => renewalId === renewal.renewalId)) return accept();
  const { from, anchorDay } = renewalBasis(state.server, at);
  if (from >= latestBasis) {
    return reject("validation-failed", "The server is paid for far enough.", {
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
