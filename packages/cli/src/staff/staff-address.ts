import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseText } from "../arguments/value-parsers.ts";
import { errorCodeOf } from "../error-code.ts";
import { refused, unreachable, wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";
import { readInstance } from "./instance-file.ts";

/** The options every command shares that speaks to a running instance. */
export interface StaffOptions {
  readonly data?: string;
  readonly adminUrl?: string;
  readonly json?: boolean;
}

/**
 * Gives a group of commands the options of those that speak to a running instance. They belong to the group, so they
 * may stand before or after the names of its commands.
 */
export function addStaffOptions(group: Command): Command {
  return group
    .option("--data <directory>", "data directory of the instance (HOSTLEDGER_DATA, else ./data)", parseText)
    .option("--admin-url <url>", "staff listener of another instance; its token is in HOSTLEDGER_ADMIN_TOKEN")
    .option("--json", "print one JSON document");
}

/** A staff listener and the credential it takes. */
export interface StaffAddress {
  readonly url: string;
  readonly token: string;
  /** Whom to trust over TLS; the system's authorities without it. */
  readonly trust?: StaffTrust;
}

/**
 * Finds the staff listener to speak to: the one named, else the one of the instance on the data directory.
 * The token of a local instance is never sent to an address that was typed.
 * @throws CommandFailure for a wrong URL or a missing token (2), a token that may not be read (1), no instance (3).
 */
export function findStaffAddress(options: StaffOptions, environment: Environment): StaffAddress {
  if (options.adminUrl !== undefined) return namedAddress(options.adminUrl, environment);
  // An empty variable counts as absent, as it does in the configuration.
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

/** A person's own token goes before that of the machine: what the person does is recorded under the person's name. */
function personalToken({ HOSTLEDGER_ADMIN_TOKEN: given }: Environment): string | undefined {
  const token = given?.trim() ?? "";
  return token.startsWith("hls_") && isHeaderText(token) ? token : undefined;
}

/** An instance that was given its token by the environment keeps no file of it; whoever asks has it from there too. */
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
  if (!isHeaderText(token)) throw refused(`${path} holds no staff token.`);
  return token;
}

function isHeaderText(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** Whom a command takes for its instance over TLS, in Node's words. Without it: whom the system's authorities vouch for. */
export interface StaffTrust {
  readonly ca: string;
  /** With these two it is one certificate that is trusted, whatever name stands in it. */
  readonly allowPartialTrustChain?: true;
  readonly checkServerIdentity?: () => undefined;
}

/** The certificate that the instance on this data directory shows: the one in its file, and no other. */
function trustOfInstance(dataDirectory: string): StaffTrust | undefined {
  const ca = readIfThere(join(dataDirectory, "admin.crt"));
  return ca === undefined
    ? undefined
    : { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

/**
 * The authority that an instance elsewhere is vouched for by, when the environment names one.
 * @throws CommandFailure (2) it names a file that is not there.
 */
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
