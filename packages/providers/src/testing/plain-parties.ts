import type { Dns } from "../dns/dns.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";

/** The registrar's calls as plain functions, so that a spec can replace some of them and keep the others. */
export function plainRegistrar(party: Registrar): Registrar {
  return {
    name: party.name,
    check: (name) => party.check(name),
    register: (order) => party.register(order),
    inquire: (name) => party.inquire(name),
    renew: (order) => party.renew(order),
    updateNameservers: (name, nameservers) => party.updateNameservers(name, nameservers),
    updateSettings: (name, settings) => party.updateSettings(name, settings),
    authCode: (name) => party.authCode(name),
    cancel: (name) => party.cancel(name),
    transferIn: (order) => party.transferIn(order),
    inquireTransfer: (name) => party.inquireTransfer(name),
    cancelTransfer: (name) => party.cancelTransfer(name),
  };
}

/** The DNS server's calls as plain functions, so that a spec can replace some of them and keep the others. */
export function plainDns(party: Dns): Dns {
  return {
    createZone: (zone) => party.createZone(zone),
    replaceRecordSets: (zone, sets) => party.replaceRecordSets(zone, sets),
    inquireZone: (name) => party.inquireZone(name),
    deleteZone: (name) => party.deleteZone(name),
  };
}
