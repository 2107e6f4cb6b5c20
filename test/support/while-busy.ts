import type { Dns } from "@hostledger/providers";
import { plainDns } from "@hostledger/providers/testing";
import type { VirtualClock } from "@hostledger/runtime/testing";

/** Wraps the DNS server in another process: virtual time stands still until it has answered. */
export function whileBusy(clock: VirtualClock, dns: Dns): Dns {
  const plain = plainDns(dns);
  const { list } = plain;
  return {
    ...plain,
    createZone: (zone) => clock.busyWhile(plain.createZone(zone)),
    replaceRecordSets: (zone, sets) => clock.busyWhile(plain.replaceRecordSets(zone, sets)),
    inquireZone: (name) => clock.busyWhile(plain.inquireZone(name)),
    deleteZone: (name) => clock.busyWhile(plain.deleteZone(name)),
    ...(list !== undefined && { list: () => clock.busyWhile(list()) }),
  };
}
