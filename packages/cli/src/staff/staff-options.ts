import type { Command } from "commander";
import { parseText } from "../arguments/value-parsers.ts";

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
