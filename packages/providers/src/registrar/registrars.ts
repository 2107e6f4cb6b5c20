import { refused, unknown } from "../outcome.ts";
import type { Registrar } from "./registrar.port.ts";

/** The registrars that names are held at, told apart by their names. */
export interface Registrars {
  /** The first gets the orders for which no other one is chosen. */
  readonly all: readonly [Registrar, ...Registrar[]];
  /** Who is asked about a name. One that is not configured any more is found, too: it is reached for nothing. */
  of(name: string): Promise<Registrar>;
  /** Who gets the order for a name that nobody has here. */
  ofFree(name: string): Promise<Registrar>;
}

/** How registrars are chosen, by their names; undefined where nobody said so: then it is the first. */
export interface RegistrarChoice {
  /** The registrar that a name is ordered from or held at. */
  of(name: string): Promise<string | undefined>;
  /** The one that a free name is ordered from. */
  ofFree(name: string): Promise<string | undefined>;
}

/** Several registrars side by side. */
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

/** One registrar for all names. */
export function onlyRegistrar(registrar: Registrar): Registrars {
  const first = () => Promise.resolve(undefined);
  return routeRegistrars([registrar], { of: first, ofFree: first });
}

/** A registrar of whom facts tell and the configuration does not: nothing is sent, and nothing is known. */
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
