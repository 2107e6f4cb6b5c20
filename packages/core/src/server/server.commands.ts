import type { Command } from "../kernel/decider.ts";
import type {
  RecordedFirewallRule,
  ServerOrdered,
  ServerProvisioned,
  ServerRenewed,
} from "./server.events.ts";

export type OrderServer = Command<"OrderServer", Omit<ServerOrdered["data"], "orderedAt">>;

/** Records that the server exists on a node; its paid months begin at `at`. */
export type RecordProvisioned = Command<
  "RecordProvisioned",
  Pick<ServerProvisioned["data"], "orderId" | "node" | "ipAddress" | "rdns" | "chargeId" | "invoiceId">
>;

export type RecordOrderFailed = Command<
  "RecordOrderFailed",
  { readonly orderId: string; readonly reason: string }
>;

export type BeginServerRenewal = Command<
  "BeginServerRenewal",
  {
    readonly renewalId: string;
    readonly months: number;
    /** Set for an automatic renewal, which is refused unless it is due. */
    readonly automatic?: {
      /** Balance of the account in cents (EUR), if a new balance triggers this renewal. */
      readonly availableCents?: bigint;
    };
  }
>;

/** Turns automatic renewal on, which also undoes a cancellation, or off. */
export type SetServerAutoRenewal = Command<
  "SetServerAutoRenewal",
  { readonly changeId: string; readonly autoRenew: boolean }
>;

/** Records that a renewal failed. A recorded success stays. */
export type RecordServerRenewalFailed = Command<
  "RecordServerRenewalFailed",
  { readonly renewalId: string; readonly reason: string; readonly requiredCents: string | null }
>;

export type RecordServerRenewed = Command<
  "RecordServerRenewed",
  Pick<ServerRenewed["data"], "renewalId" | "months" | "chargeId" | "invoiceId" | "grossCents">
>;

/**
 * Suspends the server. With the reason `expired`, a renewed server stays active. A public reason makes it a hold by staff.
 */
export type SuspendServer = Command<
  "SuspendServer",
  { readonly reason: "expired" | "staff"; readonly publicReason?: string; readonly note?: string }
>;

/** Ends any suspension, and releases a hold. */
export type UnsuspendServer = Command<"UnsuspendServer">;

/** Ends the server with its paid period. A renewal undoes the cancellation. */
export type CancelServer = Command<"CancelServer", { readonly changeId: string }>;

export type TerminateServer = Command<
  "TerminateServer",
  { readonly changeId: string; readonly reason: "customer" | "staff" }
>;

/** Ends a cancelled or suspended server if its time (`serverEndsAt`) is over at `at`; otherwise changes nothing. */
export type EndServer = Command<"EndServer", { readonly changeId: string; readonly terminationDays: number }>;

export type RecordServerTerminated = Command<"RecordServerTerminated">;

export type ToggleFirewall = Command<
  "ToggleFirewall",
  { readonly changeId: string; readonly enabled: boolean }
>;

/** Appends a rule. Its `ruleId` is the id of this change. */
export type AddFirewallRule = Command<"AddFirewallRule", { readonly rule: RecordedFirewallRule }>;

/** Removes a rule; later rules move up. */
export type RemoveFirewallRule = Command<
  "RemoveFirewallRule",
  { readonly changeId: string; readonly ruleId: string }
>;

/** Sets or clears (null) the display host name. The edge reads it with `parseHostname`. */
export type ChangeHostname = Command<
  "ChangeHostname",
  { readonly changeId: string; readonly hostname: string | null }
>;

/** Allows the server to turn its firewall off. */
export type WhitelistServer = Command<"WhitelistServer">;

/** Ends that permission; a firewall that is off stays off until it is turned on. */
export type RevokeWhitelisting = Command<"RevokeWhitelisting">;

export type ServerCommand =
  | OrderServer
  | RecordProvisioned
  | RecordOrderFailed
  | BeginServerRenewal
  | RecordServerRenewed
  | RecordServerRenewalFailed
  | SetServerAutoRenewal
  | SuspendServer
  | UnsuspendServer
  | CancelServer
  | TerminateServer
  | EndServer
  | RecordServerTerminated
  | ToggleFirewall
  | AddFirewallRule
  | RemoveFirewallRule
  | ChangeHostname
  | WhitelistServer
  | RevokeWhitelisting;
