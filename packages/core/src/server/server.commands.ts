import type { Command } from "../kernel/decider.ts";
import type {
  RecordedFirewallRule,
  ServerOrdered,
  ServerProvisioned,
  ServerRenewed,
} from "./server.events.ts";

/** Orders a server: its stream begins. */
export type OrderServer = Command<"OrderServer", Omit<ServerOrdered["data"], "orderedAt">>;

/** Records that the server exists on a node; it is the account's from `at` for the months it was ordered for. */
export type RecordProvisioned = Command<
  "RecordProvisioned",
  Pick<ServerProvisioned["data"], "orderId" | "node" | "ipAddress" | "rdns" | "chargeId" | "invoiceId">
>;

/** Records that the order ends without a server. */
export type RecordOrderFailed = Command<
  "RecordOrderFailed",
  { readonly orderId: string; readonly reason: string }
>;

/** Begins a renewal, at the price of this moment. */
export type BeginServerRenewal = Command<
  "BeginServerRenewal",
  {
    readonly renewalId: string;
    readonly months: number;
    /** Present where the server renews itself: then it is done only where it is due. */
    readonly automatic?: {
      /** What the account has in cents (EUR), where that is why it is tried now. */
      readonly availableCents?: bigint;
    };
  }
>;

/** Turns automatic renewal on, which takes a cancellation back, or off. */
export type SetServerAutoRenewal = Command<
  "SetServerAutoRenewal",
  { readonly changeId: string; readonly autoRenew: boolean }
>;

/** Records that a renewal ended without one. One that was recorded stays. */
export type RecordServerRenewalFailed = Command<
  "RecordServerRenewalFailed",
  { readonly renewalId: string; readonly reason: string; readonly requiredCents: string | null }
>;

/** Records a renewal that is paid for. */
export type RecordServerRenewed = Command<
  "RecordServerRenewed",
  Pick<ServerRenewed["data"], "renewalId" | "months" | "chargeId" | "invoiceId" | "grossCents">
>;

/**
 * Suspends the server. For the reason `expired` it is one that has expired by `at`: a server that was renewed meanwhile
 * stays as it is. A public reason of staff makes it a hold: the server cannot be renewed until staff release it.
 */
export type SuspendServer = Command<
  "SuspendServer",
  { readonly reason: "expired" | "staff"; readonly publicReason?: string; readonly note?: string }
>;

/** Lifts the suspension, whatever its reason, and releases a hold. */
export type UnsuspendServer = Command<"UnsuspendServer">;

/** Ends the server with its paid time. A renewal takes that back. */
export type CancelServer = Command<"CancelServer", { readonly changeId: string }>;

/** Ends the server at once. */
export type TerminateServer = Command<
  "TerminateServer",
  { readonly changeId: string; readonly reason: "customer" | "staff" }
>;

/**
 * Ends the server if its time is over by `at`: one that was cancelled with its paid time, one that does not run so many days
 * after it expired, or after it was suspended where that came later. Any other one stays as it is.
 */
export type EndServer = Command<"EndServer", { readonly changeId: string; readonly terminationDays: number }>;

/** Records that the compute provider holds nothing of the server any more. */
export type RecordServerTerminated = Command<"RecordServerTerminated">;

/** Turns the firewall on or off. */
export type ToggleFirewall = Command<
  "ToggleFirewall",
  { readonly changeId: string; readonly enabled: boolean }
>;

/** Adds a rule behind the present ones. Its `ruleId` is the id of this change. */
export type AddFirewallRule = Command<"AddFirewallRule", { readonly rule: RecordedFirewallRule }>;

/** Removes a rule; those behind it move up. */
export type RemoveFirewallRule = Command<
  "RemoveFirewallRule",
  { readonly changeId: string; readonly ruleId: string }
>;

/** Sets the display host name, or clears it (null). The edge reads it with `parseHostname`. */
export type ChangeHostname = Command<
  "ChangeHostname",
  { readonly changeId: string; readonly hostname: string | null }
>;

/** Lets the server turn its firewall off. */
export type WhitelistServer = Command<"WhitelistServer">;

/** Lets the server turn its firewall off no longer; one that is off stays off until it is turned on. */
export type RevokeWhitelisting = Command<"RevokeWhitelisting">;

/** Everything that can be asked of a server. */
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
