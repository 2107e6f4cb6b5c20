import type {
  RecordedFirewallRule,
  ServerOrdered,
  ServerProvisioned,
  ServerRenewed,
} from "./server.events.ts";

/** Orders a server: its stream begins. */
export interface OrderServer {
  readonly type: "OrderServer";
  readonly data: Omit<ServerOrdered["data"], "orderedAt"> & { readonly at: string };
}

/** Records that the server exists on a node; it is the account's from `at` for the months it was ordered for. */
export interface RecordProvisioned {
  readonly type: "RecordProvisioned";
  readonly data: Pick<
    ServerProvisioned["data"],
    "orderId" | "node" | "ipAddress" | "rdns" | "chargeId" | "invoiceId"
  > & { readonly at: string };
}

/** Records that the order ends without a server. */
export interface RecordOrderFailed {
  readonly type: "RecordOrderFailed";
  readonly data: { readonly orderId: string; readonly reason: string; readonly at: string };
}

/** Begins a renewal, at the price of this moment. */
export interface BeginServerRenewal {
  readonly type: "BeginServerRenewal";
  readonly data: { readonly renewalId: string; readonly months: number; readonly at: string };
}

/** Records that a renewal ended without one. One that was recorded stays. */
export interface RecordServerRenewalFailed {
  readonly type: "RecordServerRenewalFailed";
  readonly data: { readonly renewalId: string; readonly reason: string; readonly at: string };
}

/** Records a renewal that is paid for. */
export interface RecordServerRenewed {
  readonly type: "RecordServerRenewed";
  readonly data: Pick<
    ServerRenewed["data"],
    "renewalId" | "months" | "chargeId" | "invoiceId" | "grossCents"
  > & { readonly at: string };
}

/**
 * Suspends the server. For the reason `expired` it is one that has expired by `at`: a server that was renewed meanwhile
 * stays as it is.
 */
export interface SuspendServer {
  readonly type: "SuspendServer";
  readonly data: { readonly reason: "expired" | "staff"; readonly at: string };
}

/** Lifts the suspension, whatever its reason. */
export interface UnsuspendServer {
  readonly type: "UnsuspendServer";
  readonly data: { readonly at: string };
}

/** Turns the firewall on or off. */
export interface ToggleFirewall {
  readonly type: "ToggleFirewall";
  readonly data: { readonly changeId: string; readonly enabled: boolean; readonly at: string };
}

/** Adds a rule behind the present ones. Its `ruleId` is the id of this change. */
export interface AddFirewallRule {
  readonly type: "AddFirewallRule";
  readonly data: { readonly rule: RecordedFirewallRule; readonly at: string };
}

/** Removes a rule; those behind it move up. */
export interface RemoveFirewallRule {
  readonly type: "RemoveFirewallRule";
  readonly data: { readonly changeId: string; readonly ruleId: string; readonly at: string };
}

/** Sets the display host name, or clears it (null). The edge reads it with `parseHostname`. */
export interface ChangeHostname {
  readonly type: "ChangeHostname";
  readonly data: { readonly changeId: string; readonly hostname: string | null; readonly at: string };
}

/** Lets the server turn its firewall off. */
export interface WhitelistServer {
  readonly type: "WhitelistServer";
  readonly data: { readonly at: string };
}

/** Lets the server turn its firewall off no longer; one that is off stays off until it is turned on. */
export interface RevokeWhitelisting {
  readonly type: "RevokeWhitelisting";
  readonly data: { readonly at: string };
}

/** Everything that can be asked of a server. */
export type ServerCommand =
  | OrderServer
  | RecordProvisioned
  | RecordOrderFailed
  | BeginServerRenewal
  | RecordServerRenewed
  | RecordServerRenewalFailed
  | SuspendServer
  | UnsuspendServer
  | ToggleFirewall
  | AddFirewallRule
  | RemoveFirewallRule
  | ChangeHostname
  | WhitelistServer
  | RevokeWhitelisting;
