import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { wrongUsage } from "../exit-code.ts";
import type { Environment } from "../io.ts";
import { addStaffOptions, findStaffAddress, type StaffOptions } from "../staff/staff-address.ts";
import type { StaffTrust } from "../staff/staff-address.ts";

/** Options of the `audit` commands that call a running instance. */
export interface AuditOptions extends StaffOptions {
  readonly auditUrl?: string;
}

/** Adds the options of audit commands to their group, so that they may precede or follow a command's name. */
export function addAuditOptions(group: Command): Command {
  return addStaffOptions(group).option(
    "--audit-url <url>",
    "public address of the instance, for an auditor: the credential is in HOSTLEDGER_AUDITOR_CREDENTIAL",
  );
}

/** Address of the AuditService, and the credential for it. */
export interface AuditAddress {
  /** Base URL of the Connect calls. */
  readonly rpcUrl: string;
  readonly credential: string;
  /** Staff use the staff listener, auditors the public listener. */
  readonly as: "staff" | "auditor";
  /** Certificates trusted over TLS; absent means the system's authorities. */
  readonly trust?: StaffTrust;
}

/**
 * Finds the audit service: with `--audit-url` as an auditor, otherwise as staff of the instance in the data directory
 * or at `--admin-url`. A credential is only sent to its own kind of listener.
 * @throws CommandFailure for a wrong URL or a missing credential (2), an unreadable token (1), no instance (3).
 */
export function findAuditAddress(options: AuditOptions, environment: Environment): AuditAddress {
  const { auditUrl } = options;
  if (auditUrl === undefined) {
    const { url, token, trust } = findStaffAddress(options, environment);
    return { rpcUrl: url, credential: token, as: "staff", ...defined({ trust }) };
  }
  if (options.adminUrl !== undefined)
    throw wrongUsage("--audit-url is for an auditor, --admin-url for staff: name one of them.");
  if (options.data !== undefined)
    throw wrongUsage("--audit-url is for an auditor, --data for staff of this machine: name one of them.");
  if (!URL.canParse(auditUrl) || !/^https?:$/.test(new URL(auditUrl).protocol))
    throw wrongUsage(`--audit-url must be a URL such as http://127.0.0.1:8080, not "${auditUrl}".`);
  const credential = environment.HOSTLEDGER_AUDITOR_CREDENTIAL?.trim() ?? "";
  if (!/^[\x21-\x7e]+$/.test(credential))
    throw wrongUsage("--audit-url needs an auditor's credential in HOSTLEDGER_AUDITOR_CREDENTIAL.");
  return { rpcUrl: rpcUrlOf(new URL(auditUrl)), credential, as: "auditor" };
}

/** Returns the RPC URL of an instance's address, or of its console `…/audit`. */
function rpcUrlOf({ origin, pathname }: URL): string {
  const path = pathname.replace(/\/+$/u, "").replace(/\/audit$/u, "");
  return `${origin}${path}/audit/rpc`;
}
