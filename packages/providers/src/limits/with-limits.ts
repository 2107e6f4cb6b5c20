import type { Timing } from "@hostledger/runtime/async";

import type { Compute } from "../compute/compute.port.ts";
import type { Dns } from "../dns/dns.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";
import { limitCalls, type CallLimits, type LimitedCall } from "./call-limits.ts";

export type { CallLimits } from "./call-limits.ts";

/**
 * The same party, with a limit on how many calls it gets at a time and how long each may take.
 * @param timing what the limit is measured by; the machine's time by default.
 */
export function withLimits(provider: Registrar, limits: CallLimits, timing?: Timing): Registrar;
export function withLimits(provider: Dns, limits: CallLimits, timing?: Timing): Dns;
export function withLimits(provider: Compute, limits: CallLimits, timing?: Timing): Compute;
export function withLimits(
  provider: Registrar | Dns | Compute,
  limits: CallLimits,
  timing?: Timing,
): Registrar | Dns | Compute {
  const limited = limitCalls(limits, timing);
  if ("provision" in provider) return limitedCompute(provider, limited);
  return "register" in provider ? limitedRegistrar(provider, limited) : limitedDns(provider, limited);
}

function limitedRegistrar(registrar: Registrar, limited: LimitedCall): Registrar {
  return {
    name: registrar.name,
    check: (name) => limited(() => registrar.check(name)),
    register: (order) => limited(() => registrar.register(order)),
    renew: (order) => limited(() => registrar.renew(order)),
    inquire: (name) => limited(() => registrar.inquire(name)),
    updateNameservers: (name, nameservers) => limited(() => registrar.updateNameservers(name, nameservers)),
    updateSettings: (name, settings) => limited(() => registrar.updateSettings(name, settings)),
    authCode: (name) => limited(() => registrar.authCode(name)),
    cancel: (name) => limited(() => registrar.cancel(name)),
    transferIn: (order) => limited(() => registrar.transferIn(order)),
    inquireTransfer: (name) => limited(() => registrar.inquireTransfer(name)),
    cancelTransfer: (name) => limited(() => registrar.cancelTransfer(name)),
  };
}

function limitedDns(dns: Dns, limited: LimitedCall): Dns {
  return {
    createZone: (zone) => limited(() => dns.createZone(zone)),
    replaceRecordSets: (zone, sets) => limited(() => dns.replaceRecordSets(zone, sets)),
    inquireZone: (name) => limited(() => dns.inquireZone(name)),
    deleteZone: (name) => limited(() => dns.deleteZone(name)),
  };
}

function limitedCompute(compute: Compute, limited: LimitedCall): Compute {
  return {
    provision: (order) => limited(() => compute.provision(order)),
    inquire: (name) => limited(() => compute.inquire(name)),
    destroy: (name) => limited(() => compute.destroy(name)),
    suspend: (name) => limited(() => compute.suspend(name)),
    resume: (name) => limited(() => compute.resume(name)),
    replaceFirewall: (name, firewall) => limited(() => compute.replaceFirewall(name, firewall)),
    readFirewall: (name) => limited(() => compute.readFirewall(name)),
  };
}
