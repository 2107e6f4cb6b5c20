export type { Lease, Leases } from "./leases.port.ts";
export {
  createLocalLeases,
  type LeaseRoom,
  type LocalLeases,
  type LocalLeasesOptions,
} from "./local-leases.ts";
export { runUnderLease } from "./under-lease.ts";
export type { ServerTime } from "./lease-connection.ts";
export { openPostgresLeases, type PostgresLeasesOptions } from "./postgres-leases.adapter.ts";
