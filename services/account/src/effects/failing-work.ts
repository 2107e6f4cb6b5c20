import { staffTickets } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import { accountRecorder, requestStaffTicket, type AccountCommands } from "@hostledger/store";

/** Keys that fail for what is most often one cause. */
export interface FailingWork {
  /** Names the work in the ticket's cause, for example `payments`. */
  readonly work: string;
  /** What is worked on, for a person. */
  readonly about: string;
}

interface Telling {
  readonly accounts: Pick<AccountCommands, "commands">;
  readonly clock: Clock;
}

/** Has staff look at work that does not get on. Safe to repeat: equal work has one ticket. */
export function tellOf({ accounts, clock }: Telling, failing: FailingWork, reason: string): Promise<void> {
  const ticket = staffTickets.workNotDone(failing, reason);
  return requestStaffTicket({ commands: accounts.commands, clock }, ticket, accountRecorder);
}

/** Has staff look at work that fails: one ticket a day, because what keeps many keys from getting on is one cause. */
export function tellOncePerDay(
  telling: Telling,
  { work, about }: FailingWork,
  reason: string,
): Promise<void> {
  return tellOf(telling, { work: `${work}-${telling.clock.now().slice(0, 10)}`, about }, reason);
}
