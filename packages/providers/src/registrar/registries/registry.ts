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
}
