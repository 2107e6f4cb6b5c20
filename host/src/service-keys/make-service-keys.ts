import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import {
  newServiceKey,
  parsePublicJwks,
  parseSigningKey,
  partNames,
  partOf,
  publicJwkOf,
  ServiceKeyError,
  type PartName,
  type PublicJwk,
} from "@hostledger/rpc";
import { ConfigurationError, dataDirectorySentence, writeFileAtomically } from "@hostledger/runtime";

/** The directory of the data directory that holds the keys, unless the configuration names files elsewhere. */
export const serviceKeysName = "service-keys";

/** The list of public keys, which every part reads. */
export const publicKeysName = "jwks.json";

/** The file with the key that a part signs with. */
export function privateKeyName(part: PartName): string {
  return `${part}.key`;
}

/** Result of `makeServiceKeys`. */
export interface MadeServiceKeys {
  /** The parts that have a new key. */
  readonly made: readonly PartName[];
  readonly publicKeys: string;
}

/**
 * Creates the missing keys of a deployment: for each part a private file (mode 0600), and one list of all public
 * keys, which is completed from the private keys.
 * @param rotated part that gets a new key. Its present key stays on the list until the next rotation, so that older
 * signatures, and those of processes without the new key, stay valid. The list is written before the key.
 * @throws ConfigurationError with a sentence if a file is no key or the directory cannot be written.
 */
export function makeServiceKeys(directory: string, rotated?: PartName): MadeServiceKeys {
  const publicKeys = join(directory, publicKeysName);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const known = existsSync(publicKeys) ? read(publicKeys, parsePublicJwks) : [];
    const plans = partNames.map((part) => planFor(part, { directory, known, isRotated: part === rotated }));
    const made = plans.filter(({ privateText }) => privateText !== undefined);
    if (plans.some(({ isListed }) => !isListed)) {
      const keys = plans.flatMap((plan) => plan.keys);
      writeFileAtomically(publicKeys, `${JSON.stringify({ keys }, undefined, 2)}\n`, 0o644);
    }
    for (const { part, privateText = "" } of made) {
      const path = join(directory, privateKeyName(part));
      writeFileAtomically(path, privateText, 0o600);
    }
    return { made: made.map(({ part }) => part), publicKeys };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([dataDirectorySentence(directory, error)]);
  }
}

interface Plan {
  readonly part: PartName;
  /** The part's keys on the list, the newest last. */
  readonly keys: readonly PublicJwk[];
  /** True if the list contains all of these keys. */
  readonly isListed: boolean;
  /** The new private key, where one is made. */
  readonly privateText?: string;
}

function planFor(
  part: PartName,
  {
    directory,
    known,
    isRotated,
  }: { readonly directory: string; readonly known: readonly PublicJwk[]; readonly isRotated: boolean },
): Plan {
  const path = join(directory, privateKeyName(part));
  const listed = known.filter(({ kid }) => partOf(kid) === part);
  const present = existsSync(path)
    ? read(path, (text) => publicJwkOf(parseSigningKey(text, part)))
    : undefined;
  // A list that was lost is made again of the private keys.
  const isListed = present === undefined || listed.some(({ kid }) => kid === present.kid);
  const all = isListed ? listed : [...listed, present];
  if (present !== undefined && !isRotated) return { part, keys: all, isListed };
  const { privateText, publicKey } = newServiceKey(part);
  const kept = all.filter(({ kid }) => kid === present?.kid);
  return { part, keys: [...kept, publicKey], isListed: false, privateText };
}

function read<Value>(path: string, parse: (text: string) => Value): Value {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof ServiceKeyError)
      throw new ConfigurationError([`The file ${path} ${error.message}.`]);
    throw error;
  }
}
