import { assertNever, staffTickets } from "@hostledger/core";
import { requestStaffTicket, type CommandHandler } from "@hostledger/event-store";
import { nameOfLoss, type KeyLoss, type KeyLosses, type SubjectKeys } from "@hostledger/personal-data";
import type { Clock, Logger } from "@hostledger/runtime";

/** How often losses are looked at, in milliseconds. */
const intervalMs = 1_000;

/** With more losses at once, one ticket is for all of them: then it is the file that is missing, and not a key. */
const ticketsAtOnce = 10;

/** What telling of losses needs. */
export interface LossTelling {
  readonly commands: Pick<CommandHandler, "execute">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly keys: Pick<SubjectKeys, "find">;
  readonly losses: Pick<KeyLosses, "list" | "recheck">;
  readonly logger: Pick<Logger, "error" | "info">;
  readonly signal: AbortSignal;
}

/** Opens a ticket for staff and logs a line for each key that is missing, once; ends with the signal. */
export async function tellKeyLosses({ losses, keys, logger, ...telling }: LossTelling): Promise<void> {
  const { clock, signal } = telling;
  const reported = new Set<string>();
  while (!signal.aborted) {
    await losses.recheck(keys);
    const missing = losses.list();
    const names = new Set(missing.map(nameOfLoss));
    for (const name of [...reported].filter((each) => !names.has(each))) {
      reported.delete(name);
      logger.info({ key: name }, "a missing key of personal data is there again, or declared lost");
    }
    const found = missing.filter((loss) => !reported.has(nameOfLoss(loss)));
    for (const loss of found)
      logger.error({ ...loss }, "a key of personal data is missing: its texts do not open");
    await openTickets(found, telling);
    for (const loss of found) reported.add(nameOfLoss(loss));
    await clock.sleep(intervalMs, signal);
  }
}

async function openTickets(
  found: readonly KeyLoss[],
  options: Pick<LossTelling, "commands" | "clock">,
): Promise<void> {
  const [first] = found;
  if (first === undefined) return;
  const tickets =
    found.length <= ticketsAtOnce
      ? found.map((loss) => ticketOf([loss], `key-${nameOfLoss(loss)}`))
      : [ticketOf(found, `keys-${nameOfLoss(first)}`)];
  for (const ticket of tickets) await requestStaffTicket(options, ticket, "personal-data");
}

function ticketOf(losses: readonly KeyLoss[], cause: string) {
  return staffTickets.keysMissing(losses.slice(0, ticketsAtOnce).map(describe), losses.length, cause);
}

function describe({ subject, keyId, reason }: KeyLoss): string {
  const key = keyId === undefined ? "" : ` (key ${keyId})`;
  switch (reason) {
    case "missing":
      return `${subject}${key}`;
    case "another":
      return `${subject}${key}, where another key lies`;
    case "damaged":
      return `${subject}${key}, where a text is damaged`;
    default:
      return assertNever(reason);
  }
}
