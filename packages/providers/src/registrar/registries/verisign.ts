import { generic } from "./generic.ts";
import type { Registry } from "./registry.ts";

/** The registry of .com and .net, without contacts and with host objects. */
export const verisign: Registry = {
  ...generic,
  contactRoles: undefined,
  hosts: "objects",
};
