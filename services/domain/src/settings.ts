import type { OfflineBy } from "@hostledger/core";

export interface DomainSettings {
  /** Host names that new domains are delegated to. */
  readonly serviceNameservers: readonly string[];
  /** IPv4 address of a new zone's records. */
  readonly parkingAddress: string;
  /** Net price of a year in cents (EUR) to renew a domain whose extension is no longer sold. */
  readonly fallbackRenewalPriceCents: bigint;
  /** How suspended domains on the service's nameservers are kept from resolving. */
  readonly suspendedBy: OfflineBy;
}
