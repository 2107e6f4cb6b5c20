import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

import {
  type CallerTokens,
  createCallerTokens,
  parsePublicJwks,
  parseSigningKey,
  parseVerifyingKeys,
  type PartName,
  partNames,
  ServiceKeyError,
  type SigningKey,
  type VerifyingKey,
} from "@hostledger/rpc";
import { type Clock, ConfigurationError, type Logger } from "@hostledger/runtime";
import { fileReason } from "@hostledger/runtime/error-code";

import type { Configuration } from "../configuration/index.ts";
import { makeServiceKeys, privateKeyName, publicKeysName, serviceKeysName } from "./make-service-keys.ts";

/** The tokens of a part that runs in this process. @throws Error for a part that does not. */
export type TokensOf = (part: PartName) => CallerTokens;

export interface ServiceKeyOptions {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The keys of a process with all parts: files of its data directory, made at the first start. Nobody else has them, so those that
 * cannot be read are put aside and made again.
 */
export function openOwnKeys(options: ServiceKeyOptions): TokensOf {
  const directory = join(options.configuration.data, serviceKeysName);
  putAsideDamaged(directory, options.logger);
  makeServiceKeys(directory);
  const verifying = publicKeysOf(join(directory, publicKeysName), options);
  return remembered((part) => {
    const signing = signingKeyOf(part, join(directory, privateKeyName(part)), options);
    return createCallerTokens({ signing, verifying }, options.clock);
  });
}

function putAsideDamaged(directory: string, logger: Logger): void {
  const parsers = new Map<string, (text: string) => unknown>([
    [publicKeysName, parsePublicJwks],
    ...partNames.map(
      (part) => [privateKeyName(part), (text: string) => parseSigningKey(text, part)] as const,
    ),
  ]);
  for (const [name, parse] of parsers) {
    const path = join(directory, name);
    try {
      if (existsSync(path)) parse(readFileSync(path, "utf8"));
    } catch (error) {
      if (!(error instanceof ServiceKeyError)) throw error;
      renameSync(path, `${path}.damaged`);
      logger.warn(
        { file: path, error: error.message },
        "a file of service keys is damaged: it is made again",
      );
    }
  }
}

/**
 * The key of a part that runs alone, and the public keys of all: from the files that the configuration names, or those that
 * `hostledger service-keys` made in the data directory. Both are read again when they change.
 * @throws ConfigurationError one of them is missing, or of no use; or the part's own key is none of the public ones.
 */
export function openPartKeys(part: PartName, options: ServiceKeyOptions): TokensOf {
  const { data, serviceKeyFile, serviceJwks, serviceJwksFile } = options.configuration;
  const directory = join(data, serviceKeysName);
  const keyFile = serviceKeyFile ?? join(directory, privateKeyName(part));
  const listFile = serviceJwksFile ?? join(directory, publicKeysName);
  const signing = signingKeyOf(part, keyFile, options);
  const verifying = serviceJwks === undefined ? publicKeysOf(listFile, options) : givenKeys(serviceJwks);
  const list = serviceJwks === undefined ? `the file ${listFile}` : "HOSTLEDGER_SERVICE_JWKS";
  refuseUnlisted(signing(), verifying, { keyFile, list });
  const tokens = createCallerTokens({ signing, verifying }, options.clock);
  return (asked) => {
    if (asked !== part) throw new Error(`this process runs ${part}, and has no key of ${asked}`);
    return tokens;
  };
}

/** Refuses to start a part whose key is not on the list, because every other part would refuse its calls. */
function refuseUnlisted(
  { kid, part, privateKey }: SigningKey,
  verifying: (kid: string) => VerifyingKey | undefined,
  { keyFile, list }: { readonly keyFile: string; readonly list: string },
): void {
  if (verifying(kid)?.publicKey.equals(createPublicKey(privateKey)) === true) return;
  throw new ConfigurationError([
    `The key ${kid} in the file ${keyFile} is not among the public keys in ${list}: every other part would refuse the calls of ${part}. Give all parts the list that "hostledger service-keys" made with that key.`,
  ]);
}

function signingKeyOf(part: PartName, path: string, options: ServiceKeyOptions): () => SigningKey {
  const file = opened(path, (text) => parseSigningKey(text, part), options);
  return () => file.current();
}

/** An id that is not known may have been added a moment ago: a key that changes anywhere refuses no call. */
function publicKeysOf(path: string, options: ServiceKeyOptions): (kid: string) => VerifyingKey | undefined {
  const file = opened(path, parseVerifyingKeys, options);
  return (kid) => file.current().get(kid) ?? file.latest().get(kid);
}

function givenKeys(text: string): (kid: string) => VerifyingKey | undefined {
  try {
    const keys = parseVerifyingKeys(text);
    return (kid) => keys.get(kid);
  } catch (error) {
    if (!(error instanceof ServiceKeyError)) throw error;
    throw new ConfigurationError([`HOSTLEDGER_SERVICE_JWKS ${error.message}.`]);
  }
}

function opened<Value>(
  path: string,
  parse: (text: string) => Value,
  options: ServiceKeyOptions,
): WatchedFile<Value> {
  try {
    return watchFile(path, parse, options);
  } catch (error) {
    if (error instanceof ServiceKeyError)
      throw new ConfigurationError([`The file ${path} ${error.message}.`]);
    throw new ConfigurationError([
      `The file ${path} cannot be read: ${fileReason(error)}. Each part that runs alone signs with a key of its own. Make the keys with "hostledger service-keys", give each part its own in HOSTLEDGER_SERVICE_KEY_FILE, and all of them the public ones in HOSTLEDGER_SERVICE_JWKS_FILE.`,
    ]);
  }
}

function remembered(make: TokensOf): TokensOf {
  const known = new Map<PartName, CallerTokens>();
  return (part) => {
    const tokens = known.get(part) ?? make(part);
    known.set(part, tokens);
    return tokens;
  };
}

/** Time for which a read file counts as current, in milliseconds. */
const freshMs = 1_000;

/** A file that is read again when it changes. */
interface WatchedFile<Value> {
  /** Returns the value, at most a second old. A file that became unusable changes nothing and is logged. */
  current(): Value;
  /** The value as of this moment. */
  latest(): Value;
}

/**
 * Reads a file, and again after changes. Readers never wait: a call triggers the check.
 * @throws Errors of `parse` and of the system, only at the first reading.
 */
function watchFile<Value>(
  path: string,
  parse: (text: string) => Value,
  { clock, logger }: { readonly clock: Pick<Clock, "monotonicMilliseconds">; readonly logger: Logger },
): WatchedFile<Value> {
  let mark = markOf(path);
  let value = parse(readFileSync(path, "utf8"));
  let lookedAtMs = clock.monotonicMilliseconds();
  const latest = (): Value => {
    lookedAtMs = clock.monotonicMilliseconds();
    const now = markOf(path);
    if (now === mark) return value;
    mark = now;
    try {
      value = parse(readFileSync(path, "utf8"));
      logger.info({ path }, "a file with keys was read again");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error({ path, reason }, "a file with keys became unusable: those read before stay in force");
    }
    return value;
  };
  return {
    latest,
    current: () => (clock.monotonicMilliseconds() - lookedAtMs < freshMs ? value : latest()),
  };
}

/** Returns a text that changes when the file is written or replaced. */
function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : [stat.ino, stat.size, stat.mtimeNs].join(" ");
}
