import type { Dns } from "../dns/dns.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";

/** Returns the registrar's calls as plain functions, so that specs can replace some. */
export function plainRegistrar(provider: Registrar): Registrar {
  return {
    name: provider.name,
    years: provider.years,
    needsRegistrant: (name) => provider.needsRegistrant(name),
    check: (name, order) => provider.check(name, order),
    register: (order) => provider.register(order),
    inquire: (name, order) => provider.inquire(name, order),
    renew: (order) => provider.renew(order),
    restore: (order) => provider.restore(order),
    updateNameservers: (...delegation) => provider.updateNameservers(...delegation),
    updateSettings: (name, settings) => provider.updateSettings(name, settings),
    authCode: (name) => provider.authCode(name),
    cancel: (name) => provider.cancel(name),
    transferIn: (order) => provider.transferIn(order),
    inquireTransfer: (name, order) => provider.inquireTransfer(name, order),
    cancelTransfer: (name) => provider.cancelTransfer(name),
    ...plainList(provider),
  };
}

/** Returns the DNS server's calls as plain functions, so that specs can replace some. */
export function plainDns(provider: Dns): Dns {
  const signers = provider.signers?.bind(provider);
  return {
    createZone: (zone) => provider.createZone(zone),
    replaceRecordSets: (zone, sets) => provider.replaceRecordSets(zone, sets),
    inquireZone: (name) => provider.inquireZone(name),
    deleteZone: (name) => provider.deleteZone(name),
    ...(signers !== undefined && { signers }),
    ...plainList(provider),
  };
}

function plainList(provider: Pick<Registrar | Dns, "list">): Pick<Registrar | Dns, "list"> {
  const list = provider.list?.bind(provider);
  return list === undefined ? {} : { list };
}
