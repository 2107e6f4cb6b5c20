import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { addStaffOptions } from "../staff/staff-address.ts";
import { addAccountCommands } from "./admin-account.command.ts";
import { addApprovalsCommands } from "./admin-approvals.command.ts";
import { addChargeCommands } from "./admin-charge.command.ts";
import { addClockCommands } from "./admin-clock.command.ts";
import { addStoreAdminCommands } from "./admin-store.command.ts";
import {
  addAuditorCommands,
  addServiceCredentialCommands,
  addStaffCommands,
} from "./admin-credentials.command.ts";
import { addDomainCommands } from "./admin-domain.command.ts";
import { addInvoiceCommands } from "./admin-invoice.command.ts";
import { addKeyCommands } from "./admin-key.command.ts";
import { addPriceCommands } from "./admin-price.command.ts";
import { addRunsCommands } from "./admin-runs.command.ts";
import { addSandboxCommands } from "./admin-sandbox.command.ts";
import { addServerCommands } from "./admin-server.command.ts";
import { addPlanCommands, addRegionCommands, addStockCommands } from "./admin-catalogue.command.ts";
import { addNoticeCommands } from "./admin-notice.command.ts";
import { addTicketCommands } from "./admin-ticket.command.ts";

/** Adds `hostledger admin …`, the staff's commands on a running instance. */
export function addAdminCommands(program: Command, context: CommandContext): void {
  const admin = addStaffOptions(
    program.command("admin").description("staff operations on a running instance"),
  );
  addAccountCommands(admin, context);
  addChargeCommands(admin, context);
  addInvoiceCommands(admin, context);
  addKeyCommands(admin, context);
  addPriceCommands(admin, context);
  addDomainCommands(admin, context);
  addPlanCommands(admin, context);
  addRegionCommands(admin, context);
  addStockCommands(admin, context);
  addServerCommands(admin, context);
  addTicketCommands(admin, context);
  addNoticeCommands(admin, context);
  addRunsCommands(admin, context);
  addAuditorCommands(admin, context);
  addStaffCommands(admin, context);
  addServiceCredentialCommands(admin, context);
  addApprovalsCommands(admin, context);
  addClockCommands(admin, context);
  addStoreAdminCommands(admin, context);
  addSandboxCommands(admin, context);
}
