import { assertNever } from "../kernel/assert-never.ts";
import { serverEndsAt } from "../server/server-terms.ts";
import {
  isServerRenewalDue,
  nextServerRenewal,
  type AutomaticServerRenewal,
} from "../server/server.renewal.ts";
import type { ServerState } from "../server/server.state.ts";
import type { Next, Payer } from "./next.ts";

/** The state from which the work on a server's paid time decides. */
export interface WorkedServer {
  readonly state: ServerState;
  /** Days between the expiry of a server and its destruction. */
  readonly terminationDays: number;
  /** Read only if `asksServerPayer` returns true. */
  readonly payer: Payer | undefined;
}

export type ServerTermEffect =
  | {
      readonly type: "renew";
      readonly renewal: AutomaticServerRenewal;
      readonly availableCents: bigint | undefined;
    }
  /** Turns the automatic renewal off, because the account was erased. */
  | { readonly type: "stop-renewing"; readonly renewal: AutomaticServerRenewal }
  /** Stops the machine. Its data stays for some days. */
  | { readonly type: "suspend" }
  | { readonly type: "end" };

/** True if the next step depends on the account's balance. */
export function asksServerPayer(state: ServerState, now: string): boolean {
  if (state.status !== "active" || nextServerRenewal(state) === undefined) return false;
  return isServerRenewalDue(state, now) || state.server.automaticTries.missedCents !== null;
}

/**
 * Decides the next step for a server's paid time (contract, "Life cycle"): automatic renewal, suspension, and the end if
 * nobody renews. Waits for a renewal in progress.
 */
export function nextOfServerTerm(
  { state, terminationDays, payer }: WorkedServer,
  now: string,
): Next<ServerTermEffect> {
  switch (state.status) {
    case "active": {
      const { server } = state;
      if (server.renewal !== null) return "done";
      const renewal = nextServerRenewal(state);
      if (renewal !== undefined && isServerRenewalDue(state, now, payer?.balanceCents)) {
        if (payer?.isErased === true) return { do: { type: "stop-renewing", renewal } };
        const availableCents = renewal.dueAt <= now ? undefined : payer?.balanceCents;
        return { do: { type: "renew", renewal, availableCents } };
      }
      const endsAt = serverEndsAt({ ...server, suspendedAt: null, held: false }, terminationDays);
      if (server.cancelled && endsAt !== null && now >= endsAt) return { do: { type: "end" } };
      if (now >= server.expiresAt) return { do: { type: "suspend" } };
      const awaitsFunds = renewal !== undefined && server.automaticTries.missedCents !== null;
      return { wait: renewal?.dueAt ?? server.expiresAt, awaitsFunds };
    }
    case "suspended": {
      const { server, suspendedAt, hold } = state;
      if (server.renewal !== null) return "done";
      const endsAt = serverEndsAt({ ...server, suspendedAt, held: hold !== null }, terminationDays);
      if (endsAt === null) return "done";
      return now >= endsAt ? { do: { type: "end" } } : { wait: endsAt };
    }
    case "absent":
    case "ordered":
    case "failed":
    case "terminating":
    case "terminated":
      return "done";
    default:
      return assertNever(state);
  }
}
