import type { Registry } from "./registry.ts";

/**
 * A registry that does what the RFCs say and nothing else: contacts where an order names a registrant, WHOIS privacy by what
 * a contact discloses (RFC 5733 §2.9), host objects where it offers them. A name that comes brings one year along (ICANN's transfer policy, A.8).
 */
export const generic: Registry = {
  contactRoles: ["admin", "tech"],
  postalForm: "loc",
  hosts: "as-offered",
  years: { least: 1, most: 10 },
  transfers: { years: 1, replacesContacts: true },
};
