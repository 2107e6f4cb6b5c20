import type { Command } from "commander";
import { admin } from "@hostledger/protocol";

import type { CommandContext } from "../command-context.ts";
import { addStaffOptions } from "../staff/staff-address.ts";
import { addAccountCommands } from "./admin-account.command.ts";
import { addApprovalsCommands } from "./admin-approvals.command.ts";
import { addChargeCommands } from "./admin-charge.command.ts";
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
import { addSellerCommands, addTaxCommands } from "./admin-seller.command.ts";
import { addSandboxCommands } from "./admin-sandbox.command.ts";
import { addServerCommands } from "./admin-server.command.ts";
import { addPlanCommands, addRegionCommands, addStockCommands } from "./admin-catalogue.command.ts";
import { addNoticeCommands } from "./admin-notice.command.ts";
import { addTicketCommands } from "./admin-ticket.command.ts";
import { call, noun } from "../staff/staff-table.ts";
import { parseId, parseText } from "../arguments/value-parsers.ts";
import { option, required } from "../staff/command-line.codec.ts";

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
  addSellerCommands(admin, context);
  addTaxCommands(admin, context);
  addClockCommands(admin, context);
  addStoreAdminCommands(admin, context);
  addSandboxCommands(admin, context);
}

/** `admin clock …`: after a clock jump, time-driven work stops until staff accept the present time. */
const addClockCommands = noun("clock", "the clock that renewals, suspensions and expiry follow", [
  call(
    ["accept", "confirm that the present time is right after a clock jump, so that time-driven work goes on"],
    admin.ClockAdminService.method.acceptClock,
    {
      names: { jumps: "accepted" },
      text: ({ jumps }) =>
        jumps
          .map(
            ({ clockAt, direction, expectedAt }) =>
              `Confirmed: the clock said ${clockAt}, ${direction} of ${expectedAt}.\n`,
          )
          .join("") || "There is nothing to confirm: the clock is trusted.\n",
    },
  ),
]);

/** `admin store …`: after the event store was restored from an older backup, sales stop until staff accept the copy. */
const addStoreAdminCommands = noun("store", "the event store of this installation", [
  call(
    ["accept", "accept that the event store was restored from an older backup, so that sales go on"],
    admin.StoreAdminService.method.acceptStore,
    {
      inputs: {
        reason: required("--reason <text>", "why the copy is right; stored in an event", parseText),
        above: option(
          "--above <id>",
          "continue every sequence of ids above this id, if the last used id is unknown",
          parseId,
        ),
      },
      document: ({ series }) => ({ series: series === 0 ? null : series }),
      text: ({ series }) =>
        series === 0
          ? "There is nothing to accept: no process found the store restored from an older backup.\n"
          : `The store was accepted. New documents are numbered in the series R${String(series)}, and new ids leave a gap.\n`,
    },
  ),
]);
