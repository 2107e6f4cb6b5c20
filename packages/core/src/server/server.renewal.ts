import { addMonthsOnDay } from "../calendar/calendar.ts";
import { accept, reject, type Decision } from "../kernel/decider.ts";
import { quoteServerRenewal } from "../pricing/server-renewal.ts";
import type {
  BeginServerRenewal,
  RecordServerRenewalFailed,
  RecordServerRenewed,
} from "./server.commands.ts";
import type { ServerEvent } from "./server.events.ts";
import { renewalBasis } from "./server.evolution.ts";
import type { ExistingServerState } from "./server.state.ts";

/** Servers are paid for until some far day at most: instants have years of four digits. */
const latestBasis = "9000-01-01T00:00:00.000000Z";

/** The rules of a server's renewals: one at a time, at the price of the moment in which it begins. */
export function decideServerRenewal(
  command: BeginServerRenewal | RecordServerRenewed | RecordServerRenewalFailed,
  state: ExistingServerState,
): Decision<ServerEvent> {
  switch (command.type) {
    case "BeginServerRenewal":
      return begin(command, state);
    case "RecordServerRenewed":
      return recordRenewed(command, state);
    case "RecordServerRenewalFailed": {
      const { renewalId, reason, at } = command.data;
      const { serverId, accountId, renewal } = state.server;
      // One that was recorded stays, and one that the server does not know of needs no word of its end.
      if (renewal?.renewalId !== renewalId) return accept();
      return accept({
        type: "ServerRenewalFailed",
        data: { renewalId, serverId, accountId, reason, failedAt: at },
      });
    }
  }
}

/** The price is settled here, where the suspension is known for certain: one surcharge for one suspension. */
function begin({ data }: BeginServerRenewal, state: ExistingServerState): Decision<ServerEvent> {
  const { renewalId, months, at } = data;
  const { serverId, accountId, planId, planTitle, monthGrossCents, renewal, renewals } = state.server;
  if (renewal?.renewalId === renewalId || renewals.some((one) => one.renewalId === renewalId))
    return accept();
  if (renewal !== null) return reject("renewal-in-flight", "Another renewal of the server is in flight.");
  const quote = quoteServerRenewal(BigInt(monthGrossCents), months, state.status === "suspended");
  const { discountPercent, surchargePercent, grossCents } = quote;
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
      previousExpiresAt,
      expiresAt: addMonthsOnDay(from, renewal.months, anchorDay),
      renewedAt: at,
    },
  });
}
