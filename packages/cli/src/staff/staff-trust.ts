import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf } from "../error-code.ts";
import { wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";

/** Whom a command takes for its instance over TLS, in Node's words. Without it: whom the system's authorities vouch for. */
export interface StaffTrust {
  readonly ca: string;
  /** With these two it is one certificate that is trusted, whatever name stands in it. */
  readonly allowPartialTrustChain?: true;
  readonly checkServerIdentity?: () => undefined;
}

/** The certificate that the instance on this data directory shows: the one in its file, and no other. */
export function trustOfInstance(dataDirectory: string): StaffTrust | undefined {
  const ca = readIfThere(join(dataDirectory, "admin.crt"));
  return ca === undefined
    ? undefined
    : { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

/**
 * The authority that an instance elsewhere is vouched for by, when the environment names one.
 * @throws CommandFailure (2) it names a file that is not there.
 */
export function trustFromEnvironment({ HOSTLEDGER_TLS_CA: path = "" }: Environment): StaffTrust | undefined {
  if (path === "") return undefined;
  const ca = readIfThere(path);
  if (ca === undefined) throw wrongUsage(`HOSTLEDGER_TLS_CA names a file that cannot be read: ${path}.`);
  return { ca };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
