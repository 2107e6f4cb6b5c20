import type { PostalForm, RoleContact } from "../epp/index.ts";
import type { YearRange } from "./registrar.port.ts";

/** Peculiarities of a registry as data. */
export interface Registry {
  /** Contact roles required besides the registrant; undefined if the registry has no contacts. */
  readonly contactRoles: readonly RoleContact["type"][] | undefined;
  /** Script of addresses (RFC 5733 §2.4). */
  readonly postalForm: PostalForm;
  /** Form of nameservers: host objects, attributes, or objects if the greeting offers them. */
  readonly hosts: "objects" | "attributes" | "as-offered";
  /** Years per registration or renewal. */
  readonly years: YearRange;
  readonly transfers: {
    /** Years in a transfer request (RFC 5731 §3.2.4); undefined if none are added or the field is forbidden. */
    readonly years: number | undefined;
    /** True if we replace the contacts after a transfer; false if the registry does. */
    readonly replacesContacts: boolean;
  };
}

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

/** The registry of .com and .net, without contacts and with host objects. */
const verisign: Registry = {
  ...generic,
  contactRoles: undefined,
  hosts: "objects",
};

/** Peculiarities of registries, by their name in the configuration. */
export const registries = { generic, verisign } as const;

export type RegistryName = keyof typeof registries;
