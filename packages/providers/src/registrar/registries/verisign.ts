import { generic } from "./generic.ts";
import type { Registry } from "./registry.ts";

/** The registry of .com and .net: it keeps no contacts, its hosts are objects, and it renews what is not deleted. */
export const verisign: Registry = {
  ...generic,
  contactRoles: undefined,
  hosts: "objects",
  renewsUnasked: true,
};
