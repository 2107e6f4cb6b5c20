import { refused, unknown } from "../outcome.ts";
import type { Registrar } from "./registrar.port.ts";

export interface Registrars {
  /** The first is the default. */
  readonly all: readonly [Registrar, ...Registrar[]];
  /** Returns the registrar of a domain; for a registrar no longer configured, one that refuses all calls. */
  of(name: string): Promise<Registrar>;
  ofFree(name: string): Promise<Registrar>;
}

/** Chooses registrars by name; undefined means the default. */
export interface RegistrarChoice {
  /** Returns the registrar of a domain or order. */
  of(name: string): Promise<string | undefined>;
  ofFree(name: string): Promise<string | undefined>;
}

export function routeRegistrars(
  all: readonly [Registrar, ...Registrar[]],
  choice: RegistrarChoice,
): Registrars {
  const [first] = all;
  const byName = new Map(all.map((registrar) => [registrar.name, registrar]));
  const chosen = (name: string | undefined): Registrar =>
    name === undefined ? first : (byName.get(name) ?? absentRegistrar(name));
  return {
    all,
    of: async (name) => chosen(await choice.of(name)),
    ofFree: async (name) => chosen(await choice.ofFree(name)),
  };
}

/** Returns one registrar for all domains. */
export function onlyRegistrar(registrar: Registrar): Registrars {
  const first = () => Promise.resolve(undefined);
  return routeRegistrars([registrar], { of: first, ofFree: first });
}

/** Stands for a registrar that events name but the configuration lacks: sends nothing and knows nothing. */
function absentRegistrar(name: string): Registrar {
  const sentence = `The registrar ${name} is not configured.`;
  const notSent = () => Promise.resolve(refused("unreachable", sentence));
  const notKnown = () => Promise.resolve(unknown(sentence));
  return {
    name,
    needsRegistrant: () => false,
    years: { least: 1, most: 10 },
    check: notSent,
    register: notSent,
    inquire: notKnown,
    renew: notSent,
    restore: notSent,
    updateNameservers: notSent,
    updateSettings: notSent,
    authCode: notSent,
    cancel: notSent,
    transferIn: notSent,
    inquireTransfer: notKnown,
    cancelTransfer: notSent,
  };
}
