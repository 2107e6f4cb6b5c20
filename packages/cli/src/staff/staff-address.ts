import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseText } from "../arguments/value-parsers.ts";
import { errorCodeOf } from "../error-code.ts";
import { refused, unreachable, wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";
import { readInstance } from "./instance-file.ts";

export interface StaffOptions {
  readonly data?: string;
  readonly adminUrl?: string;
  readonly json?: boolean;
}

/** Adds the options to a group of commands, so that they may precede or follow a command's name. */
export function addStaffOptions(group: Command): Command {
  return group
    .option("--data <directory>", "data directory of the instance (HOSTLEDGER_DATA, else ./data)", parseText)
    .option("--admin-url <url>", "staff listener of another instance; its token is in HOSTLEDGER_ADMIN_TOKEN")
    .option("--json", "print one JSON document");
}

/** A staff listener with its credential. */
export interface StaffAddress {
  readonly url: string;
  readonly token: string;
  /** Certificates trusted over TLS; absent means the system's authorities. */
  readonly trust?: StaffTrust;
}

/**
 * Finds the staff listener: the named address, otherwise the instance in the data directory. A local instance's token
 * is never sent to a named address.
 * @throws CommandFailure for a wrong URL or a missing token (2), an unreadable token (1), no instance (3).
 */
export function findStaffAddress(options: StaffOptions, environment: Environment): StaffAddress {
  if (options.adminUrl !== undefined && options.data !== undefined)
    throw wrongUsage("--data names the instance on this machine, --admin-url another one: name one of them.");
  if (options.adminUrl !== undefined) return namedAddress(options.adminUrl, environment);
  // An empty variable counts as absent, like in the configuration.
  const given = environment.HOSTLEDGER_DATA === "" ? undefined : environment.HOSTLEDGER_DATA;
  const dataDirectory = options.data ?? given ?? "./data";
  const { admin_url: url } = readInstance(dataDirectory);
  const trust = url.startsWith("https:") ? trustOfInstance(dataDirectory) : undefined;
  const token = personalToken(environment) ?? readToken(dataDirectory, environment);
  return { url, token, ...defined({ trust }) };
}

function namedAddress(adminUrl: string, environment: Environment): StaffAddress {
  if (!URL.canParse(adminUrl) || !/^https?:$/.test(new URL(adminUrl).protocol)) {
    throw wrongUsage(`--admin-url must be a URL such as http://127.0.0.1:8081, not "${adminUrl}".`);
  }
  const token = environment.HOSTLEDGER_ADMIN_TOKEN?.trim() ?? "";
  if (!isHeaderText(token)) {
    throw wrongUsage("--admin-url needs the staff token of that instance in HOSTLEDGER_ADMIN_TOKEN.");
  }
  return { url: adminUrl, token, ...defined({ trust: trustFromEnvironment(environment) }) };
}

/** Returns a person's own token, which precedes the machine's token, so that events name the person. */
function personalToken({ HOSTLEDGER_ADMIN_TOKEN: given }: Environment): string | undefined {
  const token = given?.trim() ?? "";
  return token.startsWith("hls_") && isHeaderText(token) ? token : undefined;
}

/** Reads the token file, or the environment if the instance got its token there and has no file. */
function readToken(dataDirectory: string, environment: Environment): string {
  const path = join(dataDirectory, "admin.token");
  let token: string;
  try {
    token = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") {
      throw refused(`${path} could not be read: only the user who runs the instance may.`, error);
    }
    const given = environment.HOSTLEDGER_ADMIN_TOKEN?.trim() ?? "";
    if (isHeaderText(given)) return given;
    throw unreachable(`${path} is missing: no instance runs there.`, error);
  }
  if (!isHeaderText(token)) throw refused(`${path} contains no staff token.`);
  return token;
}

function isHeaderText(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** TLS options of Node for an instance's certificate; without them the system's authorities are used. */
export interface StaffTrust {
  readonly ca: string;
  /** These two trust only the given certificate, whatever host name it contains. */
  readonly allowPartialTrustChain?: true;
  readonly checkServerIdentity?: () => undefined;
}

/** Trusts only the certificate file of the instance in the data directory. */
function trustOfInstance(dataDirectory: string): StaffTrust | undefined {
  const ca = readIfThere(join(dataDirectory, "admin.crt"));
  return ca === undefined
    ? undefined
    : { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

/** Reads the authority named in the environment. @throws CommandFailure (2) if the file cannot be read. */
function trustFromEnvironment({ HOSTLEDGER_TLS_CA: path = "" }: Environment): StaffTrust | undefined {
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
