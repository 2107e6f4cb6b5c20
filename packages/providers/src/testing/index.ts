/** Providers whose calls specs replace, and real providers that specs start. */

export * from "../bank/camt.fixture.ts";
export * from "./cuttable-wire.ts";
export * from "./labelled-powerdns.ts";
export * from "./plain-providers.ts";
export * from "./powerdns-server.ts";
export type { FakeCluster } from "./proxmox/fake-cluster.ts";
export * from "./proxmox/fake-proxmox.ts";
export * from "./proxmox/faults.ts";
export { StripeAccount } from "./stripe/stripe-account.ts";
export * from "./stripe/stripe-server.ts";
