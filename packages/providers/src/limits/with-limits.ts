import type { Timing } from "@hostledger/runtime/async";

import type { Compute } from "../compute/compute.port.ts";
import type { Dns } from "../dns/dns.port.ts";
import type { Registrar } from "../registrar/registrar.port.ts";
import { limitCalls, type CallLimits, type LimitedCall } from "./call-limits.ts";

export type { CallLimits, SettledCall } from "./call-limits.ts";

/** Wraps a provider with limits on concurrency and time. @param timing clock of the limits; default: the machine's. */
export function withLimits(provider: Registrar, limits: CallLimits, timing?: Timing): Registrar;
export function withLimits(provider: Dns, limits: CallLimits, timing?: Timing): Dns;
export function withLimits(provider: Compute, limits: CallLimits, timing?: Timing): Compute;
export function withLimits(
  provider: Registrar | Dns | Compute,
  limits: CallLimits,
  timing?: Timing,
): Registrar | Dns | Compute {
  return throughCalls(provider, limitCalls(limits, timing));
}

/** Wraps a provider so that another function makes each call. */
export function throughCalls<Provider extends Registrar | Dns | Compute>(
  provider: Provider,
  made: LimitedCall,
): Provider;
export function throughCalls(
  provider: Registrar | Dns | Compute,
  made: LimitedCall,
): Registrar | Dns | Compute {
  if ("provision" in provider) return limitedCompute(provider, made);
  return "register" in provider ? limitedRegistrar(provider, made) : limitedDns(provider, made);
}

function limitedRegistrar(registrar: Registrar, limited: LimitedCall): Registrar {
  return {
    name: registrar.name,
    years: registrar.years,
    // Not limited, because it calls nobody.
    needsRegistrant: (name) => registrar.needsRegistrant(name),
    check: (name, order) => limited({ name: "check", subject: name }, () => registrar.check(name, order)),
    register: (order) => limited({ name: "register", subject: order.name }, () => registrar.register(order)),
    renew: (order) => limited({ name: "renew", subject: order.name }, () => registrar.renew(order)),
    restore: (order) => limited({ name: "restore", subject: order.name }, () => registrar.restore(order)),
    inquire: (name, clientTransactionId) =>
      limited({ name: "inquire", subject: name, isQuestion: true }, () =>
        registrar.inquire(name, clientTransactionId),
      ),
    updateNameservers: (name, ...delegation) =>
      limited({ name: "updateNameservers", subject: name }, () =>
        registrar.updateNameservers(name, ...delegation),
      ),
    updateSettings: (name, settings) =>
      limited({ name: "updateSettings", subject: name }, () => registrar.updateSettings(name, settings)),
    authCode: (name) => limited({ name: "authCode", subject: name }, () => registrar.authCode(name)),
    cancel: (name) => limited({ name: "cancel", subject: name }, () => registrar.cancel(name)),
    transferIn: (order) =>
      limited({ name: "transferIn", subject: order.name }, () => registrar.transferIn(order)),
    inquireTransfer: (name, order) =>
      limited({ name: "inquireTransfer", subject: name, isQuestion: true }, () =>
        registrar.inquireTransfer(name, order),
      ),
    cancelTransfer: (name) =>
      limited({ name: "cancelTransfer", subject: name }, () => registrar.cancelTransfer(name)),
    ...limitedList(registrar, limited),
    ...limitedMessages(registrar, limited),
  };
}

function limitedMessages(
  registrar: Registrar,
  limited: LimitedCall,
): Pick<Registrar, "messages" | "acknowledge"> {
  const messages = registrar.messages?.bind(registrar);
  const acknowledge = registrar.acknowledge?.bind(registrar);
  if (messages === undefined || acknowledge === undefined) return {};
  return {
    messages: () => limited({ name: "messages", subject: "", isQuestion: true }, messages),
    acknowledge: (message) => limited({ name: "acknowledge", subject: "" }, () => acknowledge(message)),
  };
}

function limitedDns(dns: Dns, limited: LimitedCall): Dns {
  const signers = dns.signers?.bind(dns);
  return {
    createZone: (zone) => limited({ name: "createZone", subject: zone.name }, () => dns.createZone(zone)),
    replaceRecordSets: (zone, sets) =>
      limited({ name: "replaceRecordSets", subject: zone }, () => dns.replaceRecordSets(zone, sets)),
    inquireZone: (name) =>
      limited({ name: "inquireZone", subject: name, isQuestion: true }, () => dns.inquireZone(name)),
    deleteZone: (name) => limited({ name: "deleteZone", subject: name }, () => dns.deleteZone(name)),
    ...(signers !== undefined && {
      signers: (zone) => limited({ name: "signers", subject: zone, isQuestion: true }, () => signers(zone)),
    }),
    ...limitedList(dns, limited),
  };
}

function limitedCompute(compute: Compute, limited: LimitedCall): Compute {
  const { regions } = compute;
  return {
    ...(regions !== undefined && { regions }),
    provision: (order) => limited({ name: "provision", subject: order.name }, () => compute.provision(order)),
    inquire: (name) =>
      limited({ name: "inquire", subject: name, isQuestion: true }, () => compute.inquire(name)),
    destroy: (name) => limited({ name: "destroy", subject: name }, () => compute.destroy(name)),
    suspend: (name) => limited({ name: "suspend", subject: name }, () => compute.suspend(name)),
    resume: (name) => limited({ name: "resume", subject: name }, () => compute.resume(name)),
    replaceFirewall: (name, firewall) =>
      limited({ name: "replaceFirewall", subject: name }, () => compute.replaceFirewall(name, firewall)),
    readFirewall: (name) =>
      limited({ name: "readFirewall", subject: name }, () => compute.readFirewall(name)),
    ...limitedList(compute, limited),
  };
}

function limitedList(
  provider: Pick<Registrar | Dns | Compute, "list">,
  limited: LimitedCall,
): Pick<Registrar | Dns | Compute, "list"> {
  const list = provider.list?.bind(provider);
  return list === undefined ? {} : { list: () => limited({ name: "list", subject: "" }, list) };
}
