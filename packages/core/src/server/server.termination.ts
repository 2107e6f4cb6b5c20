import { accept, reject, type Decision } from "../kernel/decider.ts";
import type { CancelServer, EndServer, ServerCommand, TerminateServer } from "./server.commands.ts";
import { serverEndsAt } from "./server-terms.ts";
import { heldRejection } from "./server.renewal.ts";
import type { ServerEvent, ServerTerminationBegun } from "./server.events.ts";
import type { ExistingServerState, ServerState } from "./server.state.ts";

/** A terminated server, or one whose machine is being destroyed. */
type EndedState = Extract<ServerState, { status: "terminating" | "terminated" }>;

/** Rules of a server's end. A renewal in progress ends first, because it was paid. */
export function decideTermination(
  command: CancelServer | TerminateServer | EndServer,
  state: ExistingServerState,
): Decision<ServerEvent> {
  switch (command.type) {
    case "CancelServer":
      return cancel(command, state);
    case "TerminateServer": {
      const { changeId, reason, at } = command.data;
      if (state.server.renewal !== null)
        return reject("renewal-in-flight", "A renewal of the server is in flight.");
      const held = reason === "customer" ? heldRejection(state) : undefined;
      if (held !== undefined) return { accepted: false, rejection: held };
      // Staff may need the server to investigate abuse.
      if (reason === "customer" && isStopped(state, "staff"))
        return reject("server-not-active", "Staff suspended the server: ask support to end it.");
      return begin(state, changeId, reason, at);
    }
    case "EndServer": {
      const { changeId, terminationDays, at } = command.data;
      const { renewal, cancelled } = state.server;
      const suspendedAt = state.status === "suspended" ? state.suspendedAt : null;
      const held = state.status === "suspended" && state.hold !== null;
      const endsAt = serverEndsAt({ ...state.server, suspendedAt, held }, terminationDays);
      // A running server is suspended first, and its days count from the suspension.
      const isOver = (cancelled || suspendedAt !== null) && endsAt !== null && at >= endsAt;
      if (renewal !== null || !isOver) return accept();
      return begin(state, changeId, cancelled ? "customer" : "expired", at);
    }
  }
}

/** Rules of a terminated server: record the destruction, and answer repeats of earlier commands. */
export function decideEnded(command: ServerCommand, state: EndedState): Decision<ServerEvent> {
  const { serverId, accountId, node, ipAddress, renewals } = state.server;
  const isGone = state.status === "terminated";
  const over = isGone ? reject("not-found") : reject("server-not-active", "The server is being terminated.");
  switch (command.type) {
    case "RecordServerTerminated":
      if (isGone) return accept();
      return accept({
        type: "ServerTerminated",
        data: { serverId, accountId, node, ipAddress, terminatedAt: command.data.at },
      });
    // The life cycle reads a delayed read model, so it may repeat the command.
    case "EndServer":
      return accept();
    case "TerminateServer":
      if (!isGone || state.termination.changeId === command.data.changeId) return accept();
      return over;
    // A run that crashed after recording repeats its command, and must not refund the charge.
    case "BeginServerRenewal":
    case "RecordServerRenewed":
      return renewals.some(({ renewalId }) => renewalId === command.data.renewalId) ? accept() : over;
    case "RecordServerRenewalFailed":
      return accept();
    default:
      return over;
  }
}

function cancel({ data: { changeId, at } }: CancelServer, state: ExistingServerState): Decision<ServerEvent> {
  const { serverId, accountId, expiresAt, renewal, cancelled, changes } = state.server;
  if (changes.includes(changeId) || cancelled) return accept();
  if (renewal !== null) return reject("renewal-in-flight", "A renewal of the server is in flight.");
  if (at >= expiresAt)
    return reject("server-not-active", "The server's paid time is over: renew it, or end it now.");
  return accept({
    type: "ServerCancelled",
    data: { changeId, serverId, accountId, endsAt: expiresAt, cancelledAt: at },
  });
}

function begin(
  { server: { serverId, accountId } }: ExistingServerState,
  changeId: string,
  reason: ServerTerminationBegun["data"]["reason"],
  begunAt: string,
): Decision<ServerEvent> {
  return accept({
    type: "ServerTerminationBegun",
    data: { changeId, serverId, accountId, reason, begunAt },
  });
}

function isStopped(state: ExistingServerState, reason: "expired" | "staff"): boolean {
  return state.status === "suspended" && state.reason === reason;
}
