export * from "./compute.contract.ts";
export * from "./dns.contract.ts";
export * from "./payments.contract.ts";
export * from "./registrar.contract.ts";
export * from "./vat-ids.contract.ts";
