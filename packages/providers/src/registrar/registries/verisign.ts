import { generic } from "./generic.ts";
import type { Registry } from "./registry.ts";

/** The registry of .com and .net: it keeps no contacts, and its hosts are objects. */
export const verisign: Registry = {
  ...generic,
  contactRoles: undefined,
  hosts: "objects",
};
