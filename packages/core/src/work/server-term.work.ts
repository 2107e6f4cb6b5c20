import { assertNever } from "../kernel/assert-never.ts";
import { serverEndsAt } from "../server/server-terms.ts";
import {
  isServerRenewalDue,
  nextServerRenewal,
  type AutomaticServerRenewal,
} from "../server/server.renewal.ts";
import type { ServerState } from "../server/server.state.ts";
import type { Next, Payer } from "./next.ts";

/** A server, as the work on its paid time sees it. */
export interface WorkedServer {
  readonly state: ServerState;
  /** Days for which a server is kept after it expired. */
  readonly terminationDays: number;
  /** Read where `asksServerPayer` says so. */
  readonly payer: Payer | undefined;
}

/** What is done about a server's paid time. */
export type ServerTermEffect =
  | {
      readonly type: "renew";
      readonly renewal: AutomaticServerRenewal;
      readonly availableCents: bigint | undefined;
    }
  /** Turns its automatic renewal off: nobody is behind its account any more. */
  | { readonly type: "stop-renewing"; readonly renewal: AutomaticServerRenewal }
  /** Stops the machine, which is kept for some days. */
  | { readonly type: "suspend" }
  /** Has the machine destroyed. */
  | { readonly type: "end" };

/** True where the next step depends on what the account has. */
export function asksServerPayer(state: ServerState, now: string): boolean {
  if (state.status !== "active" || nextServerRenewal(state) === undefined) return false;
  return isServerRenewalDue(state, now) || state.server.automaticTries.missedCents !== null;
}

/**
 * What the paid time of a server needs (contract, "Life cycle"): its automatic renewal, its suspension, and its end where
 * nobody renews it. A renewal that is under way is waited for.
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
