/** Namespaces of EPP and its extensions. Elements are identified by namespace, never by prefix. */
export const namespaces = {
  /** RFC 5730. */
  epp: "urn:ietf:params:xml:ns:epp-1.0",
  /** RFC 5731. */
  domain: "urn:ietf:params:xml:ns:domain-1.0",
  /** RFC 5732. */
  host: "urn:ietf:params:xml:ns:host-1.0",
  /** RFC 5733. */
  contact: "urn:ietf:params:xml:ns:contact-1.0",
  /** Grace periods, redemption and restore (RFC 3915). */
  rgp: "urn:ietf:params:xml:ns:rgp-1.0",
  /** DNSSEC (RFC 5910). */
  secDns: "urn:ietf:params:xml:ns:secDNS-1.1",
  /** Fees (RFC 8748). */
  fee: "urn:ietf:params:xml:ns:epp:fee-1.0",
} as const;

/** Prefixes used in our output, as in the RFCs' examples; EPP's own elements have none. */
export const prefixes: ReadonlyMap<string, string> = new Map<string, string>([
  [namespaces.domain, "domain"],
  [namespaces.host, "host"],
  [namespaces.contact, "contact"],
  [namespaces.rgp, "rgp"],
  [namespaces.secDns, "secDNS"],
  [namespaces.fee, "fee"],
]);
