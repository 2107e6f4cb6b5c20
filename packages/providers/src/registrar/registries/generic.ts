import type { Registry } from "./registry.ts";

/**
 * A registry that follows the RFCs: contacts if an order has a registrant, WHOIS privacy by contact disclosure (RFC
 * 5733 §2.9), host objects if offered. A transfer adds one year (ICANN's transfer policy, A.8).
 */
export const generic: Registry = {
  contactRoles: ["admin", "tech"],
  postalForm: "loc",
  hosts: "as-offered",
  years: { least: 1, most: 10 },
  transfers: { years: 1, replacesContacts: true },
};
