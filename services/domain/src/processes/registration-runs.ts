import {
  domainCodec,
  type RegistrationEvent,
  type RegistrationInput,
  type RegistrationReserved,
  type RegistrationState,
} from "@hostledger/core";
import { decodeEvent, type EventStore } from "@hostledger/event-store";
import type { Leases } from "@hostledger/leases";
import { createRunKeeper, type RunContext, type UnfinishedRun } from "@hostledger/process-manager";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import type { DomainQueries } from "../queries/domain.queries.ts";
import { registrationRunnable, type RegistrationHands } from "./registration.runnable.ts";

/** What the registration runs are made of. */
export interface RegistrationRunsOptions extends RegistrationHands {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly queries: DomainQueries;
  readonly recordedBy: string;
  /** Says which of several processes drives a run. Left out where there is one. */
  readonly leases?: Leases;
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
  /**
   * The same for a run that an earlier request for the name may have begun, and may have ended.
   * @returns undefined when there is no such run.
   */
  recall<Answer>(
    runId: string,
    name: string,
    select: (state: RegistrationState) => Answer | undefined,
  ): Promise<Answer | undefined>;
  /** Staff's word to a parked run. @returns false when it is not parked. */
  interrupt(
    runId: string,
    input: { type: "retried" } | { type: "abandoned"; reason: string },
  ): Promise<boolean>;
  /** Takes over unfinished runs: all at once first, then whatever is left without a driver. */
  adopt(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the keeper of registrations. */
export function createRegistrationRuns(options: RegistrationRunsOptions): RegistrationRuns {
  const { store, clock, ids, logger, queries, recordedBy, activeLimit, leases } = options;
  const keeper = createRunKeeper<RegistrationState, RegistrationInput, RegistrationEvent>({
    store,
    clock,
    logger,
    recordedBy,
    owner: ids.uuid(),
    runnable: registrationRunnable(options),
    unfinished: async (limit) => {
      const rows = await queries.unfinishedRuns(limit);
      return rows.filter(({ process }) => process === "registration");
    },
    async beginning(row) {
      const found = await findReservation(store, row);
      if (found === undefined) return undefined;
      const { reservation, context } = found;
      return { input: { type: "reserved", reservation, at: clock.now() }, context };
    },
    ...(leases === undefined ? {} : { leases }),
    ...(activeLimit === undefined ? {} : { activeLimit }),
  });

  return {
    get hasRoom() {
      return keeper.hasRoom;
    },
    start(reservation, context) {
      keeper.start(reservation.registrationId, { type: "reserved", reservation, at: clock.now() }, context);
    },
    until: (runId, select) => keeper.until(runId, select),
    async recall(runId, name, select) {
      const answer = await keeper.recall(runId, select);
      if (answer !== undefined) return answer;
      // The name may be reserved for a run that has not written anything yet.
      const found = await findReservation(store, { run: runId, subject: name });
      if (found === undefined) return undefined;
      const { reservation, context } = found;
      keeper.start(runId, { type: "reserved", reservation, at: clock.now() }, context);
      return keeper.until(runId, select);
    },
    interrupt: (runId, input) => keeper.interrupt(runId, { ...input, at: clock.now() }),
    adopt: (signal) => keeper.adopt(signal),
    stop: () => keeper.stop(),
  };
}

/** The reservation that began a run, with the request it was for. */
async function findReservation(
  store: EventStore,
  row: Pick<UnfinishedRun, "run" | "subject">,
): Promise<{ reservation: RegistrationReserved["data"]; context: RunContext } | undefined> {
  for await (const recorded of store.read(`domain-${row.subject}`)) {
    const { event, metadata } = decodeEvent(domainCodec, recorded);
    if (event.type === "RegistrationReserved" && event.data.registrationId === row.run) {
      return { reservation: event.data, context: metadata };
    }
  }
  return undefined;
}
