import type { Clock } from "@hostledger/runtime";
import { accountRecorder, type AccountCommands } from "@hostledger/store";
import type { WorkTicketOptions } from "@hostledger/work";

/** Returns what the service's work needs to request tickets for staff. */
export function ticketOptions({
  accounts: { commands },
  clock,
}: {
  readonly accounts: Pick<AccountCommands, "commands">;
  readonly clock: Clock;
}): WorkTicketOptions {
  return { commands, clock, recordedBy: accountRecorder };
}
