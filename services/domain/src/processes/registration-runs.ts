import {
  domainCodec,
  type RegistrationEvent,
  type RegistrationInput,
  type RegistrationReserved,
  type RegistrationState,
} from "@hostledger/core";
import { decodeEvent, type EventStore } from "@hostledger/event-store";
import { createProcessManager, type ProcessManager, type RunContext } from "@hostledger/process-manager";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import type { DomainQueries, RunRow } from "../queries/domain.queries.ts";
import { registrationRunnable, type RegistrationHands } from "./registration.runnable.ts";

/** How often unfinished runs that nobody drives are looked for, in milliseconds. */
const sweepIntervalMs = 5_000;

/** Runs looked at in one sweep. */
const sweepLimit = 10_000;

/** A run younger than this is still with the request that began it, in milliseconds. */
const adoptionAgeMs = 10_000;

/** What the registration runs are made of. */
export interface RegistrationRunsOptions extends RegistrationHands {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly queries: DomainQueries;
  readonly recordedBy: string;
  /** Registrations under way at a time. Default: the process manager's own limit. */
  readonly activeLimit?: number;
}

/** The registrations that are under way in this process. */
export interface RegistrationRuns {
  /** False while this process drives as many runs as it may: a new reservation would find no driver. */
  readonly hasRoom: boolean;
  /** Begins the run of a reservation, for a request that waits for its answer. */
  start(reservation: RegistrationReserved["data"], context: RunContext): void;
  until<Answer>(runId: string, select: (state: RegistrationState) => Answer | undefined): Promise<Answer>;
  /** Staff's word to a parked run. @returns false when it is not parked. */
  interrupt(
    runId: string,
    input: { type: "retried" } | { type: "abandoned"; reason: string },
  ): Promise<boolean>;
  /** Takes over unfinished runs: all at once first, then whatever is left without a driver. */
  adopt(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the manager of registrations and the rounds that take over what a dead owner left. */
export function createRegistrationRuns(options: RegistrationRunsOptions): RegistrationRuns {
  const { store, clock, ids, logger, queries, recordedBy, activeLimit } = options;
  const manager: ProcessManager<RegistrationState, RegistrationInput> = createProcessManager<
    RegistrationState,
    RegistrationInput,
    RegistrationEvent
  >({
    store,
    clock,
    logger,
    recordedBy,
    owner: ids.uuid(),
    runnable: registrationRunnable(options),
    ...(activeLimit === undefined ? {} : { activeLimit }),
  });

  async function adoptRun(row: RunRow): Promise<void> {
    const found = await findReservation(store, row);
    if (found === undefined) return;
    await manager.resume(
      row.run,
      { type: "reserved", reservation: found.reservation, at: clock.now() },
      found.context,
    );
  }

  async function sweep(minimumAgeMs: number, signal: AbortSignal): Promise<void> {
    const bound = clock.epochMilliseconds() - minimumAgeMs;
    for (const row of queries.unfinishedRuns(sweepLimit)) {
      // What finds no room now finds some in a later round, here or elsewhere.
      if (isAborted(signal) || !manager.hasRoom) return;
      if (row.status === "parked" || manager.isActive(row.run) || Date.parse(row.started_at) > bound)
        continue;
      logger.info({ run: row.run, step: row.step }, "takes over an unfinished registration");
      await adoptRun(row);
    }
  }

  return {
    get hasRoom() {
      return manager.hasRoom;
    },
    start(reservation, context) {
      manager.start(reservation.registrationId, { type: "reserved", reservation, at: clock.now() }, context);
    },
    until: (runId, select) => manager.until(runId, select),
    interrupt: (runId, input) => manager.interrupt(runId, { ...input, at: clock.now() }),
    async adopt(signal) {
      await sweep(0, signal);
      while (!signal.aborted) {
        await pause(sweepIntervalMs, signal);
        await sweep(adoptionAgeMs, signal);
      }
    },
    stop: () => manager.stop(),
  };
}

/** The reservation that began a run, with the request it was for. */
async function findReservation(
  store: EventStore,
  row: RunRow,
): Promise<{ reservation: RegistrationReserved["data"]; context: RunContext } | undefined> {
  for await (const recorded of store.read(`domain-${row.subject}`)) {
    const { event, metadata } = decodeEvent(domainCodec, recorded);
    if (event.type === "RegistrationReserved" && event.data.registrationId === row.run) {
      return { reservation: event.data, context: metadata };
    }
  }
  return undefined;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** A function, since the compiler takes a property that was false before an `await` for false after it. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
