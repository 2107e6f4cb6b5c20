import { refused, unknown } from "../outcome.ts";
import type { Registrar } from "./registrar.port.ts";

/** The registrars that names are held at, told apart by their names. */
export interface Registrars {
  /** The first gets the orders for which no other one is chosen. */
  readonly all: readonly [Registrar, ...Registrar[]];
  /** Who is asked about a name. One that is not configured any more is found, too: it is reached for nothing. */
  of(name: string): Promise<Registrar>;
}

/**
 * Several registrars side by side.
 *
 * @param registrarOf the registrar that a name is ordered from or held at; undefined where nobody said so.
 */
export function routeRegistrars(
  all: readonly [Registrar, ...Registrar[]],
  registrarOf: (name: string) => Promise<string | undefined>,
): Registrars {
  const [first] = all;
  const byName = new Map(all.map((registrar) => [registrar.name, registrar]));
  return {
    all,
    async of(name) {
      const chosen = await registrarOf(name);
      return chosen === undefined ? first : (byName.get(chosen) ?? absentRegistrar(chosen));
    },
  };
}

/** One registrar for all names. */
export function onlyRegistrar(registrar: Registrar): Registrars {
  return routeRegistrars([registrar], () => Promise.resolve(undefined));
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
