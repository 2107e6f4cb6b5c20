/** Parties of which a spec replaces some calls. */

export * from "./plain-providers.ts";
