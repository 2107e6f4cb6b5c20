import type { FirewallOptions } from "./compute.port.ts";

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
