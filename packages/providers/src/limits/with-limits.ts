import type { Dns } from "../dns/dns.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";
import { limitCalls, type CallLimits, type LimitedCall } from "./call-limits.ts";

export type { CallLimits } from "./call-limits.ts";

/** The same party, with a limit on how many calls it gets at a time and how long each may take. */
export function withLimits(party: Registrar, limits: CallLimits): Registrar;
export function withLimits(party: Dns, limits: CallLimits): Dns;
export function withLimits(party: Registrar | Dns, limits: CallLimits): Registrar | Dns {
  const limited = limitCalls(limits);
  return "register" in party ? limitedRegistrar(party, limited) : limitedDns(party, limited);
}

function limitedRegistrar(registrar: Registrar, limited: LimitedCall): Registrar {
  return {
    name: registrar.name,
    check: (name) => limited(() => registrar.check(name)),
    register: (order) => limited(() => registrar.register(order)),
    inquire: (name) => limited(() => registrar.inquire(name)),
    updateNameservers: (name, nameservers) => limited(() => registrar.updateNameservers(name, nameservers)),
    cancel: (name) => limited(() => registrar.cancel(name)),
  };
}

function limitedDns(dns: Dns, limited: LimitedCall): Dns {
  return {
    createZone: (zone) => limited(() => dns.createZone(zone)),
    inquireZone: (name) => limited(() => dns.inquireZone(name)),
    deleteZone: (name) => limited(() => dns.deleteZone(name)),
  };
}
