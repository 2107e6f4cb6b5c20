import type { Command } from "commander";
import { addStaffOptions, type StaffOptions } from "../staff/staff-options.ts";

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
