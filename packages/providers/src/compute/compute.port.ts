import type { Outcome } from "../outcome.ts";

/** What a firewall does with a packet (Proxmox VE's words). */
export type FirewallAction = "ACCEPT" | "DROP" | "REJECT";

/** A firewall rule in Proxmox VE's words; an empty text means any. */
export interface FirewallRule {
  readonly type: "in" | "out";
  readonly action: FirewallAction;
  readonly proto: string;
  readonly dport: string;
  readonly sport: string;
  readonly source: string;
  readonly dest: string;
  readonly comment: string;
  /** The rule is in force. */
  readonly enable: boolean;
}

/** What a server's firewall shall be: on or off, and all of its rules in order. */
export interface Firewall {
  readonly enabled: boolean;
  readonly rules: readonly FirewallRule[];
}

/** The options of a firewall, in Proxmox VE's words (`/nodes/{node}/qemu/{vmid}/firewall/options`). */
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

/** A firewall as the node has it. */
export interface FirewallHolding {
  readonly options: FirewallOptions;
  /** In order. */
  readonly rules: readonly FirewallRule[];
}

/** An order for a server. */
export interface ServerOrder {
  /** Chosen by us, of lower-case letters, digits and dashes, and the same for every repeat of one order. */
  readonly name: string;
  readonly plan: {
    readonly title: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly storageGb: number;
  };
  /** Short code of the region in which it shall run. */
  readonly region: string;
  /** Name of the distribution it is set up with. */
  readonly distro: string;
  /** A public key for the first login. */
  readonly sshKey: string | null;
  readonly firewall: Firewall;
}

/** A server as its node holds it. */
export interface ComputeServer {
  /** The name that the order gave it. */
  readonly name: string;
  readonly node: string;
  /** IPv4. */
  readonly ipAddress: string;
  /** Reverse DNS name of the address. */
  readonly rdns: string;
  /** False while it is suspended. */
  readonly running: boolean;
  /** ISO 8601 UTC with six fractional digits. */
  readonly provisionedAt: string;
}

/** What is held under a name: the server, or nothing. */
export type ServerHolding =
  | { readonly held: true; readonly server: ComputeServer }
  | { readonly held: false };

/**
 * The party that runs servers on its nodes, in our words. Every call settles: with a time limit of its own a silent
 * party gives `unknown`. Every call may be repeated; each states the whole of what shall be, so that the last one wins.
 */
export interface Compute {
  /** Codes of the regions that it has servers in. Absent where it takes any code. */
  readonly regions?: readonly string[];
  /** Sets the server up and starts it. A repeated order is answered with the server there is; another order under its name is refused. */
  provision(order: ServerOrder): Promise<Outcome<ComputeServer>>;
  /** Asks what is held under the name. */
  inquire(name: string): Promise<Outcome<ServerHolding>>;
  /** Removes the server and frees its address. A name not held is `done`. */
  destroy(name: string): Promise<Outcome<void>>;
  /** Stops the server and keeps it. A name not held is refused. */
  suspend(name: string): Promise<Outcome<void>>;
  /** Starts a suspended server. A name not held is refused. */
  resume(name: string): Promise<Outcome<void>>;
  /** Makes the firewall exactly so: on or off, with these rules and no others. A name not held is refused. */
  replaceFirewall(name: string, firewall: Firewall): Promise<Outcome<void>>;
  /** Reads the firewall. A name not held is refused. */
  readFirewall(name: string): Promise<Outcome<FirewallHolding>>;
  /** The names of the servers that it holds for us. Absent where nobody can be asked. */
  list?(): Promise<Outcome<readonly string[]>>;
}
