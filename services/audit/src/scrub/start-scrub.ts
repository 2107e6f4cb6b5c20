import { staffTickets } from "@hostledger/core";
import { requestStaffTicket, type CommandHandler } from "@hostledger/store";
import {
  backgroundTiming,
  supervise,
  type Clock,
  type Logger,
  type SupervisedTask,
} from "@hostledger/runtime";

import type { LogReader } from "../log.port.ts";
import { createScrub, type Scrub } from "./scrub.ts";
import type { ScrubMemory } from "./scrub-state.ts";

export interface ScrubSettings {
  /** Events per second; 0 for no scrub. */
  readonly rate: number;
  readonly memory: ScrubMemory;
  /** Checks the store's file daily. Undefined for a remote store. */
  readonly checkFile: (() => Promise<readonly string[]>) | undefined;
}

/** Starts the scrub, which asks staff for help at the first difference. */
export async function startScrub(
  settings: ScrubSettings,
  {
    log,
    commands,
    clock,
    logger,
  }: {
    readonly log: LogReader;
    readonly commands: Pick<CommandHandler, "execute">;
    readonly clock: Clock;
    readonly logger: Logger;
  },
): Promise<Scrub & Pick<SupervisedTask, "stop">> {
  const scrub = await createScrub({
    ...settings,
    log,
    clock,
    logger,
    timing: backgroundTiming,
    report: (place, sentence) =>
      requestStaffTicket(
        { commands, clock },
        staffTickets.eventStoreDamaged(sentence, place, clock.now()),
        "audit-service",
      ),
    reportTile: (sentence) =>
      requestStaffTicket(
        { commands, clock },
        staffTickets.auditLogDamaged(sentence, clock.now()),
        "audit-service",
      ),
  });
  if (settings.rate === 0) return { ...scrub, stop: () => Promise.resolve() };
  const scrubbing = supervise("scrub", (signal) => scrub.run(signal), { logger });
  return { ...scrub, stop: () => scrubbing.stop() };
}
