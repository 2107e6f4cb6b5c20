import type { Outcome } from "../outcome.ts";

/** Action of a firewall on a packet, as in Proxmox VE. */
export type FirewallAction = "ACCEPT" | "DROP" | "REJECT";

/** A firewall rule with Proxmox VE's fields; an empty text means any. */
export interface FirewallRule {
  readonly type: "in" | "out";
  readonly action: FirewallAction;
  readonly proto: string;
  readonly dport: string;
  readonly sport: string;
  readonly source: string;
  readonly dest: string;
  readonly comment: string;
  /** True if the rule is in force. */
  readonly enable: boolean;
}

/** Desired firewall of a server: on or off, and all rules in order. */
export interface Firewall {
  readonly enabled: boolean;
  readonly rules: readonly FirewallRule[];
}

/** Options of a firewall, as in Proxmox VE (`/nodes/{node}/qemu/{vmid}/firewall/options`). */
export interface FirewallOptions {
  readonly enable: boolean;
  readonly policyIn: FirewallAction;
  readonly policyOut: FirewallAction;
  readonly logLevelIn: string;
  readonly logLevelOut: string;
  readonly macfilter: boolean;
  readonly dhcp: boolean;
  readonly ndp: boolean;
  readonly radv: boolean;
  readonly ipfilter: boolean;
}

/** Proxmox VE's defaults of an unconfigured firewall, except `enable`. */
export const unconfiguredFirewall: Omit<FirewallOptions, "enable"> = {
  policyIn: "DROP",
  policyOut: "ACCEPT",
  logLevelIn: "nolog",
  logLevelOut: "nolog",
  macfilter: true,
  dhcp: false,
  ndp: true,
  radv: false,
  ipfilter: false,
};

/** Actual firewall on the node. */
export interface FirewallHolding {
  readonly options: FirewallOptions;
  /** Rules in order. */
  readonly rules: readonly FirewallRule[];
}

export interface ServerOrder {
  /** Name chosen by us, of lower-case letters, digits and dashes; equal for every repeat of an order. */
  readonly name: string;
  readonly plan: {
    readonly title: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly storageGb: number;
  };
  /** Short code of the region. */
  readonly region: string;
  /** Name of the distribution to install. */
  readonly distro: string;
  /** Public key for the first login; null for none. */
  readonly sshKey: string | null;
  readonly firewall: Firewall;
}

export interface ComputeServer {
  /** Name from the order. */
  readonly name: string;
  readonly node: string;
  /** IPv4 address. */
  readonly ipAddress: string;
  /** Reverse DNS name of the address. */
  readonly rdns: string;
  /** False while suspended. */
  readonly running: boolean;
  /** ISO 8601 UTC with six fractional digits. */
  readonly provisionedAt: string;
}

/** Result of an inquiry: the server, or not held. */
export type ServerHolding =
  | { readonly held: true; readonly server: ComputeServer }
  | { readonly held: false };

/** Port to a provider of servers. Every call resolves, is safe to repeat, and states the whole desired state. */
export interface Compute {
  /** Codes of the provider's regions; absent if any code is accepted. */
  readonly regions?: readonly string[];
  /** Creates and starts a server. A repeat returns the existing server; a different order with the name is refused. */
  provision(order: ServerOrder): Promise<Outcome<ComputeServer>>;
  /** Asks whether a server is held under the name. */
  inquire(name: string): Promise<Outcome<ServerHolding>>;
  /** Deletes the server and frees its address; `done` if not held. */
  destroy(name: string): Promise<Outcome<void>>;
  /** Stops the server without deleting it; refused if not held. */
  suspend(name: string): Promise<Outcome<void>>;
  /** Starts a suspended server; refused if not held. */
  resume(name: string): Promise<Outcome<void>>;
  /** Replaces the whole firewall: on or off, and all rules; refused if not held. */
  replaceFirewall(name: string, firewall: Firewall): Promise<Outcome<void>>;
  /** Reads the firewall; refused if not held. */
  readFirewall(name: string): Promise<Outcome<FirewallHolding>>;
  /** Returns the names of our servers at the provider; absent if it cannot list them. */
  list?(): Promise<Outcome<readonly string[]>>;
}
