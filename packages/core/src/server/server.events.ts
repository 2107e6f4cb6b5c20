/** What happens to a server (stream `server-<id>`). */

/** A server was ordered: a unit is reserved, the payment and the provisioning follow. */
export interface ServerOrdered {
  readonly type: "ServerOrdered";
  readonly data: {
    /** The run that carries the order out. */
    readonly orderId: string;
    readonly serverId: number;
    readonly accountId: number;
    readonly planId: number;
    readonly planTitle: string;
    readonly regionId: number;
    readonly distroId: number;
    readonly distro: string;
    readonly months: number;
    readonly whitelisted: boolean;
    readonly sshKey: string | null;
    /** Gross price of a month in cents (EUR), from the plan at this moment. */
    readonly monthGrossCents: string;
    readonly orderedAt: string;
  };
}

/** The server exists on a node, and is the account's until it expires. */
export interface ServerProvisioned {
  readonly type: "ServerProvisioned";
  readonly data: {
    readonly orderId: string;
    readonly serverId: number;
    readonly accountId: number;
    readonly planId: number;
    readonly node: string;
    readonly ipAddress: string;
    readonly rdns: string;
    /** The charge that paid for it; null for a gift or a migration. */
    readonly chargeId: string | null;
    readonly invoiceId: number | null;
    readonly provisionedAt: string;
    readonly expiresAt: string;
  };
}

/** The order ended without a server. */
export interface ServerOrderFailed {
  readonly type: "ServerOrderFailed";
  readonly data: {
    readonly orderId: string;
    readonly serverId: number;
    readonly accountId: number;
    readonly reason: string;
    readonly failedAt: string;
  };
}

/** The server is paid for some months more; a suspended one is active again. */
export interface ServerRenewed {
  readonly type: "ServerRenewed";
  readonly data: {
    readonly renewalId: string;
    readonly serverId: number;
    readonly accountId: number;
    readonly months: number;
    readonly chargeId: string;
    readonly invoiceId: number;
    readonly grossCents: string;
    readonly wasSuspended: boolean;
    readonly previousExpiresAt: string;
    readonly expiresAt: string;
    readonly renewedAt: string;
  };
}

/** The server does not run: it expired, or staff suspended it. */
export interface ServerSuspended {
  readonly type: "ServerSuspended";
  readonly data: {
    readonly serverId: number;
    readonly reason: "expired" | "staff";
    readonly suspendedAt: string;
  };
}

/** Staff lifted the suspension. */
export interface ServerUnsuspended {
  readonly type: "ServerUnsuspended";
  readonly data: { readonly serverId: number; readonly unsuspendedAt: string };
}

/** The firewall was turned on or off. */
export interface FirewallToggled {
  readonly type: "FirewallToggled";
  readonly data: {
    readonly serverId: number;
    /** The same for every repeat of one change. */
    readonly changeId: string;
    readonly enabled: boolean;
    readonly toggledAt: string;
  };
}

/** A firewall rule as a fact states it, in Proxmox VE's words; an empty text means any. */
export interface RecordedFirewallRule {
  /** Names the rule whatever its position: the id of the change that added it. */
  readonly ruleId: string;
  readonly type: "in" | "out";
  readonly action: "ACCEPT" | "DROP" | "REJECT";
  readonly proto: string;
  readonly dport: string;
  readonly sport: string;
  readonly source: string;
  readonly dest: string;
  readonly comment: string;
  readonly enable: boolean;
}

/** A rule was added behind the present ones. */
export interface FirewallRuleAdded {
  readonly type: "FirewallRuleAdded";
  readonly data: {
    readonly serverId: number;
    readonly rule: RecordedFirewallRule;
    readonly addedAt: string;
  };
}

/** A rule was removed; those behind it moved up. */
export interface FirewallRuleRemoved {
  readonly type: "FirewallRuleRemoved";
  readonly data: {
    readonly serverId: number;
    /** The same for every repeat of one change. */
    readonly changeId: string;
    readonly ruleId: string;
    readonly removedAt: string;
  };
}

/** The display host name was set, or cleared (null). */
export interface HostnameChanged {
  readonly type: "HostnameChanged";
  readonly data: {
    readonly serverId: number;
    /** The same for every repeat of one change. */
    readonly changeId: string;
    readonly hostname: string | null;
    readonly changedAt: string;
  };
}

/** The server may turn its firewall off. */
export interface ServerWhitelisted {
  readonly type: "ServerWhitelisted";
  readonly data: { readonly serverId: number; readonly whitelistedAt: string };
}

/** The server may no longer turn its firewall off. */
export interface ServerWhitelistingRevoked {
  readonly type: "ServerWhitelistingRevoked";
  readonly data: { readonly serverId: number; readonly revokedAt: string };
}

/** Everything that happens to a server. */
export type ServerEvent =
  | ServerOrdered
  | ServerProvisioned
  | ServerOrderFailed
  | ServerRenewed
  | ServerSuspended
  | ServerUnsuspended
  | FirewallToggled
  | FirewallRuleAdded
  | FirewallRuleRemoved
  | HostnameChanged
  | ServerWhitelisted
  | ServerWhitelistingRevoked;
