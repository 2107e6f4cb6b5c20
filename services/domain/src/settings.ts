/** Settings of the domain service. */
export interface DomainSettings {
  /** Host names that new domains are delegated to. */
  readonly serviceNameservers: readonly string[];
  /** IPv4 address of a new zone's records. */
  readonly parkingAddress: string;
}
