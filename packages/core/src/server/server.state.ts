import type { AutomaticTries } from "../kernel/automatic-renewal.ts";
import type {
  RecordedFirewallRule,
  ServerOrdered,
  ServerRenewalBegun,
  ServerRenewed,
  ServerSuspended,
  ServerTerminationBegun,
} from "./server.events.ts";

/** What was ordered. The key for the first login is in the fact alone: no rule needs it. */
export type OrderedServer = Omit<ServerOrdered["data"], "sshKey" | "orderedAt">;

/** A renewal that was recorded: what its repeats are answered with. */
export type RecordedRenewal = Pick<
  ServerRenewed["data"],
  "renewalId" | "months" | "chargeId" | "invoiceId" | "grossCents" | "wasSuspended" | "expiresAt"
>;

/** A server that exists. */
export interface ProvisionedServer extends OrderedServer {
  readonly node: string;
  readonly ipAddress: string;
  readonly rdns: string;
  readonly provisionedAt: string;
  readonly expiresAt: string;
  /**
   * Day of the month on which the present paid time began, 1 to 31: expiries fall on it, or on the last day of a month
   * that is shorter. A renewal of an expired server begins anew, with its own day.
   */
  readonly anchorDay: number;
  /** When staff last lifted a suspension; null where they never did. */
  readonly releasedAt: string | null;
  /** It ends with its paid time. */
  readonly cancelled: boolean;
  readonly autoRenew: boolean;
  readonly automaticTries: AutomaticTries & {
    /** What the balance had to cover for the last of them in cents (EUR); null where it failed for another reason. */
    readonly missedCents: bigint | null;
  };
  readonly whitelisted: boolean;
  readonly hostname: string | null;
  readonly firewall: {
    readonly enabled: boolean;
    /** By position. */
    readonly rules: readonly RecordedFirewallRule[];
  };
  /** The renewal that is under way; null while there is none. One that an earlier design began is not told of here. */
  readonly renewal: ServerRenewalBegun["data"] | null;
  /** The latest renewals, oldest first, up to `serverLimits.rememberedRenewals`. */
  readonly renewals: readonly RecordedRenewal[];
  /** Ids of the latest changes of firewall and host name, oldest first, up to `serverLimits.rememberedChanges`. */
  readonly changes: readonly string[];
}

/** A hold by staff, with what the customer reads. */
export type ServerHold = Pick<ServerSuspended["data"], "publicReason">;

/** A server: not there, ordered, never made, the account's and running or not, or at its end and then gone. */
export type ServerState =
  | { readonly status: "absent" }
  | { readonly status: "ordered"; readonly order: OrderedServer }
  | { readonly status: "failed"; readonly order: OrderedServer; readonly reason: string }
  | { readonly status: "active"; readonly server: ProvisionedServer }
  | {
      readonly status: "suspended";
      readonly server: ProvisionedServer;
      readonly reason: ServerSuspended["data"]["reason"];
      /** The hold that staff alone lift; null where a renewal lifts the suspension. */
      readonly hold: ServerHold | null;
      /** What staff noted for themselves. */
      readonly note: string | null;
      readonly suspendedAt: string;
    }
  | {
      /** The machine is to be destroyed (`terminating`), or was. */
      readonly status: "terminating" | "terminated";
      readonly server: ProvisionedServer;
      readonly termination: ServerTerminationBegun["data"];
    };

/** A server that is its account's, running or not. */
export type ExistingServerState = Extract<ServerState, { status: "active" | "suspended" }>;

/**
 * Limits of one server.
 *
 * A repeat of a renewal or a change comes from a request or a run that is still unfinished; a thousand later ones cannot
 * come before it has ended, so that remembering the last thousand is remembering all that matter, in bounded memory.
 */
export const serverLimits = {
  firewallRules: 100,
  rememberedRenewals: 1_000,
  rememberedChanges: 1_000,
} as const;
