import type { PostalForm, RoleContact } from "../../epp/index.ts";
import type { YearRange } from "../registrar.port.ts";

/** What is particular to a registry: data, one file each. */
export interface Registry {
  /** The roles in which it wants the registrant's contact beside the registrant; undefined where it wants to know nobody. */
  readonly contactRoles: readonly RoleContact["role"][] | undefined;
  /** In which letters it keeps addresses (RFC 5733 §2.4). */
  readonly postalForm: PostalForm;
  /** How nameservers are named: as host objects, as attributes, or as objects where the greeting offers them. */
  readonly hosts: "objects" | "attributes" | "as-offered";
  /** For how many years it registers or renews a name at a time. */
  readonly years: YearRange;
  /** How names come from another registrar. */
  readonly transfers: {
    /** How many years a request asks for (RFC 5731 §3.2.4); undefined where it adds none, or must not be told how many. */
    readonly years: number | undefined;
    /** Whether a name that came gets the contacts of who it is for; where the registry sees to that, it keeps those that it has. */
    readonly replacesContacts: boolean;
  };
}
