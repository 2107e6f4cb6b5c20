export { eppLabels, type EppLabel } from "./labels.ts";
export * from "./registry-server.ts";
