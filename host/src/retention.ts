import { isHoldInForce, lastYearOver, retentionAggregate, type RetentionState } from "@hostledger/core";
import { type Clock, type Logger, supervise } from "@hostledger/runtime";
import { createCommandHandler, type CommandHandler, type EventStore } from "@hostledger/store";
import { subjectOfRetention, type SubjectKeys } from "@hostledger/store/personal-data";
import { type Leases, runUnderLease } from "@hostledger/work/leases";

import type { HostContext } from "./host-context.ts";

/** Interval between checks of the terms, in milliseconds. */
const intervalMs = 3_600_000;

export interface RetentionOptions {
  readonly keys: Pick<SubjectKeys, "retained" | "destroy">;
  /** Time of all processes that share the data. */
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** False while the clock may be wrong, or the store is an older backup. */
  readonly isTimeTrusted: () => boolean;
}

interface TermEnding extends RetentionOptions {
  readonly commands: Pick<CommandHandler, "execute" | "load">;
  readonly logger: Pick<Logger, "info">;
}

/**
 * Ends the law's terms of documents in the background: their keys are destroyed, also keys that came back from a backup. Of
 * processes that share the keys, one does it.
 */
export function endRetentionTerms(
  { logger, shutdown }: Pick<HostContext, "logger" | "shutdown">,
  store: EventStore,
  { leases, ...options }: RetentionOptions & { readonly leases: Leases },
): void {
  const ending: TermEnding = {
    ...options,
    logger,
    commands: createCommandHandler({ store, recordedBy: "retention" }),
  };
  const running = supervise(
    "retention",
    (stopping) => runUnderLease(leases, "retention", (signal) => endTermsUntil(signal, ending), stopping),
    { logger },
  );
  shutdown.add("retention", () => running.stop());
}

async function endTermsUntil(signal: AbortSignal, ending: TermEnding): Promise<void> {
  while (!signal.aborted) {
    await endTerms(ending);
    await ending.clock.sleep(intervalMs, signal);
  }
}

/**
 * Destroys the keys of documents whose term has ended, except under a hold. The event comes first, so keys that a
 * backup restores are destroyed again even while the clock is not trusted.
 */
export async function endTerms({ commands, keys, clock, isTimeTrusted, logger }: TermEnding): Promise<void> {
  const at = isTimeTrusted() ? clock.now() : undefined;
  if (at !== undefined) await recordEnd(at, { commands, keys });
  let { state } = await commands.load(retentionAggregate, "all");
  for (;;) {
    const ended = await keys.retained({ throughYear: state.endedYear, except: heldAccounts(state, at) });
    if (ended.length === 0) return;
    for (const { accountId, year } of ended) {
      // Loaded for each key: staff may have placed a hold meanwhile.
      ({ state } = await commands.load(retentionAggregate, "all"));
      if (heldAccounts(state, at).includes(accountId)) continue;
      const subject = subjectOfRetention(accountId, year);
      if (await keys.destroy(subject))
        logger.info({ subject }, "the key of documents whose term is over was destroyed");
    }
  }
}

/** Records that a year's term is over, if a key of that year or an earlier one is left. */
async function recordEnd(
  at: string,
  { commands, keys }: Pick<TermEnding, "commands" | "keys">,
): Promise<void> {
  const year = lastYearOver(at);
  const { state } = await commands.load(retentionAggregate, "all");
  if (year <= state.endedYear) return;
  const left = await keys.retained({ throughYear: year, except: heldAccounts(state, at) });
  if (left.length === 0) return;
  const id = `retention/${String(year)}`;
  await commands.execute(
    retentionAggregate,
    "all",
    { type: "EndRetention", data: { at } },
    { commandId: id, correlationId: id, actor: "process:retention" },
  );
}

function heldAccounts({ holds }: RetentionState, at: string | undefined): number[] {
  return [...holds.values()].filter((hold) => isHoldInForce(hold, at)).map(({ accountId }) => accountId);
}
