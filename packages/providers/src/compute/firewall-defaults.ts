import type { FirewallOptions } from "./compute.port.ts";

/** What Proxmox VE says of a firewall that nobody has configured, but for `enable`. */
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
