import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";
import { addStaffOptions, findStaffAddress, type StaffOptions } from "../staff/staff-address.ts";
import type { StaffTrust } from "../staff/staff-address.ts";

/** The options every command of `audit` shares that speaks to a running instance. */
export interface AuditOptions extends StaffOptions {
  readonly auditUrl?: string;
}

/** Gives the group of audit commands its options; they may stand before or after the names of its commands. */
export function addAuditOptions(group: Command): Command {
  return addStaffOptions(group).option(
    "--audit-url <url>",
    "public address of the instance, for an auditor: the credential is in HOSTLEDGER_AUDITOR_CREDENTIAL",
  );
}

/** Where AuditService is reached, and the credential it takes there. */
export interface AuditAddress {
  /** What the Connect protocol's paths are appended to. */
  readonly rpcUrl: string;
  readonly credential: string;
  /** Staff reach it on the listener of staff, an auditor on the public one. */
  readonly as: "staff" | "auditor";
  /** Whom to trust over TLS; the system's authorities without it. */
  readonly trust?: StaffTrust;
}

/**
 * Finds the audit service to ask: with `--audit-url` as an auditor, else as staff of the instance on the data directory or
 * at `--admin-url`. A credential is only ever sent to the kind of listener that it is for.
 * @throws CommandFailure for a wrong URL or a missing credential (2), a token that may not be read (1), no instance (3).
 */
export function findAuditAddress(options: AuditOptions, environment: Environment): AuditAddress {
  const { auditUrl } = options;
  if (auditUrl === undefined) {
    const { url, token, trust } = findStaffAddress(options, environment);
    return { rpcUrl: url, credential: token, as: "staff", ...defined({ trust }) };
  }
  if (options.adminUrl !== undefined)
    throw wrongUsage("--audit-url is for an auditor, --admin-url for staff: name one of them.");
  if (!URL.canParse(auditUrl) || !/^https?:$/.test(new URL(auditUrl).protocol))
    throw wrongUsage(`--audit-url must be a URL such as http://127.0.0.1:8080, not "${auditUrl}".`);
  const credential = environment.HOSTLEDGER_AUDITOR_CREDENTIAL?.trim() ?? "";
  if (!/^[\x21-\x7e]+$/.test(credential))
    throw wrongUsage("--audit-url needs an auditor's credential in HOSTLEDGER_AUDITOR_CREDENTIAL.");
  return { rpcUrl: rpcUrlOf(new URL(auditUrl)), credential, as: "auditor" };
}

/** The address of the console, `…/audit`, is taken as well as that of the whole instance. */
function rpcUrlOf({ origin, pathname }: URL): string {
  const path = pathname.replace(/\/+$/u, "").replace(/\/audit$/u, "");
  return `${origin}${path}/audit/rpc`;
}
