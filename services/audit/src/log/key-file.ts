import { randomBytes } from "node:crypto";

import { generateSigner, parseSignerKey, type NoteSigner } from "@hostledger/audit/log";

import { AuditLogError, LostLogError } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";

/** Name of the file with the signers, one per line, the present one first. */
export const keyFile = "key";

const keyMode = 0o600;

/**
 * Limit of the keys, and thus of the checkpoint's length. All keys sign each checkpoint, so verifiers with an old key can
 * still check it.
 */
const maximumKeys = 16;

export interface LogKeys {
  /** Name of the log in its checkpoints. */
  readonly origin: string;
  /** The present one first. */
  readonly signers: readonly NoteSigner[];
}

/** Reads the keys; undefined if there is no key file. @throws AuditLogError */
export async function readKeys(files: LogFiles, origin: string | undefined): Promise<LogKeys | undefined> {
  const content = await files.read(keyFile);
  if (content === undefined) return undefined;
  const signers = Buffer.from(content)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map(signerOf);
  const [present] = signers;
  if (present === undefined || signers.some(({ name }) => name !== present.name)) throw damaged();
  if (origin !== undefined && origin !== present.name)
    throw new AuditLogError(
      `The audit log's name is ${present.name}, and it cannot become ${origin}: set HOSTLEDGER_AUDIT_ORIGIN to its name, or leave it out.`,
    );
  return { origin: present.name, signers };
}

/** Reads the keys; undefined if they cannot be read. */
export async function readableKeys(files: LogFiles): Promise<LogKeys | undefined> {
  try {
    return await readKeys(files, undefined);
  } catch (error) {
    if (error instanceof AuditLogError) return undefined;
    throw error;
  }
}

/** File that exists until the first key has signed a checkpoint. After that, a log does not begin again on its own. */
export const unsignedFile = "unsigned";

/** True if a present key may begin a log: it has never signed, or staff allowed it. */
export async function mayBegin(files: LogFiles): Promise<boolean> {
  return (await files.read(unsignedFile)) !== undefined;
}

/** Lets the present keys begin a log. */
export async function letBegin(files: LogFiles): Promise<void> {
  await files.replace(unsignedFile, "", keyMode);
}

/** Records that the keys have signed. */
export async function hasSigned(files: LogFiles): Promise<void> {
  await files.remove(unsignedFile);
}

export function randomOrigin(): string {
  return `hostledger/${randomBytes(8).toString("hex")}`;
}

/** Makes the first key. @param origin default: a random name */
export async function makeKeys(files: LogFiles, origin: string | undefined): Promise<LogKeys> {
  await letBegin(files);
  const name = origin ?? randomOrigin();
  return writeKeys(files, { origin: name, signers: [generateSigner(name)] });
}

/** Makes a new key, which signs together with earlier ones from now on. @throws AuditLogError there are too many */
export async function addKey(files: LogFiles, { origin, signers }: LogKeys): Promise<LogKeys> {
  if (signers.length >= maximumKeys)
    throw new AuditLogError(
      `The audit log has ${String(signers.length)} keys, which is as many as it can have: take the oldest out of its key file first.`,
    );
  return writeKeys(files, { origin, signers: [generateSigner(origin), ...signers] });
}

async function writeKeys(files: LogFiles, keys: LogKeys): Promise<LogKeys> {
  await files.replace(keyFile, `${keys.signers.map((signer) => signer.privateKey).join("\n")}\n`, keyMode);
  return keys;
}

function signerOf(line: string): NoteSigner {
  try {
    return parseSignerKey(line);
  } catch {
    throw damaged();
  }
}

function damaged(): LostLogError {
  return new LostLogError("The audit log's key file is damaged");
}
