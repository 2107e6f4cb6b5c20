import type { AutomaticTries } from "../kernel/automatic-renewal.ts";
import type {
  RecordedFirewallRule,
  ServerOrdered,
  ServerRenewalBegun,
  ServerRenewed,
  ServerSuspended,
  ServerTerminationBegun,
} from "./server.events.ts";

/** The order without its SSH key, because no rule needs the key. */
export type OrderedServer = Omit<ServerOrdered["data"], "sshKey" | "orderedAt">;

/** A recorded renewal, with which repeats are answered. */
export type RecordedRenewal = Pick<
  ServerRenewed["data"],
  "renewalId" | "months" | "chargeId" | "invoiceId" | "grossCents" | "wasSuspended" | "expiresAt"
>;

export interface ProvisionedServer extends OrderedServer {
  readonly node: string;
  readonly ipAddress: string;
  readonly rdns: string;
  readonly provisionedAt: string;
  readonly expiresAt: string;
  /**
   * Day of the month on which the paid period began, 1 to 31. Expiries fall on this day, or on the last day of a shorter
   * month. Renewing an expired server sets a new day.
   */
  readonly anchorDay: number;
  readonly releasedAt: string | null;
  readonly cancelled: boolean;
  readonly autoRenew: boolean;
  readonly automaticTries: AutomaticTries & {
    /** Amount in cents (EUR) that the balance did not cover; null if the last attempt failed for another reason. */
    readonly missedCents: bigint | null;
  };
  readonly whitelisted: boolean;
  readonly hostname: string | null;
  readonly firewall: {
    readonly enabled: boolean;
    readonly rules: readonly RecordedFirewallRule[];
  };
  /** The renewal in progress; null if there is none, or if an older version began it. */
  readonly renewal: ServerRenewalBegun["data"] | null;
  /** The latest renewals, oldest first, up to `serverLimits.rememberedRenewals`. */
  readonly renewals: readonly RecordedRenewal[];
  /** Ids of the latest changes of firewall and host name, oldest first, up to `serverLimits.rememberedChanges`. */
  readonly changes: readonly string[];
}

export type ServerHold = Pick<ServerSuspended["data"], "publicReason">;

export type ServerState =
  | { readonly status: "absent" }
  | { readonly status: "ordered"; readonly order: OrderedServer }
  | { readonly status: "failed"; readonly order: OrderedServer; readonly reason: string }
  | { readonly status: "active"; readonly server: ProvisionedServer }
  | {
      readonly status: "suspended";
      readonly server: ProvisionedServer;
      readonly reason: ServerSuspended["data"]["reason"];
      /** The hold that only staff can release; null if a renewal ends the suspension. */
      readonly hold: ServerHold | null;
      readonly note: string | null;
      readonly suspendedAt: string;
    }
  | {
      /** The machine is being destroyed (`terminating`) or was destroyed. */
      readonly status: "terminating" | "terminated";
      readonly server: ProvisionedServer;
      readonly termination: ServerTerminationBegun["data"];
    };

/** A provisioned server, running or suspended. */
export type ExistingServerState = Extract<ServerState, { status: "active" | "suspended" }>;

/** Limits of a server. Repeats arrive before a thousand later changes, so only the last thousand ids are needed. */
export const serverLimits = {
  firewallRules: 100,
  rememberedRenewals: 1_000,
  rememberedChanges: 1_000,
} as const;
