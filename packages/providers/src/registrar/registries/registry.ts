import type { PostalForm, RoleContact } from "../../epp/index.ts";
import type { YearRange } from "../registrar.port.ts";

/** Peculiarities of a registry as data, one file each. */
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
