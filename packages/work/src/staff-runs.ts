import type { MessageInitShape } from "@bufbuild/protobuf";
import { eventCodec, parseStaffReason, rejection, runEvents } from "@hostledger/core";
import type { EventStore, RecordedEvent } from "@hostledger/store";
import { admin } from "@hostledger/protocol";
import {
  fromRow,
  rejectionError,
  requestContextOf,
  requestedId,
  validated,
  type RequestContext,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { StaffWord } from "./paid-orders.ts";
import type { RunRow } from "./process-runs.ts";

/** Maximum runs in one answer. */
const listedRunsLimit = 10_000;

/** Maximum events of a run in one answer, and maximum characters of a run's id. */
const shownStepsLimit = 1_000;
const longestRunId = 300;

const runsCodec = eventCodec(runEvents);

const runMessage = fromRow<RunRow>().toMessage(admin.RunSchema, {});

export interface StaffRunsOptions {
  /** Returns unfinished runs, oldest first; only one account's if given. */
  readonly unfinished: (limit: number, accountId?: number) => Promise<readonly RunRow[]>;
  readonly store: Pick<EventStore, "read">;
  readonly categories: readonly string[];
  /** Gives a run staff's word. @throws ConnectError `run-not-found`, `run-not-parked` */
  readonly interrupt: (run: string, word: StaffWord, request: RequestContext) => Promise<void>;
}

type Handler<Request, Answer> = (request: Request, context: WithContextValues) => Promise<Answer>;

/** Handlers of the staff's RPCs about unfinished runs; each service registers them under its own names. */
export interface StaffRuns {
  readonly list: Handler<
    { readonly parkedOnly: boolean; readonly accountId?: bigint | undefined },
    { runs: MessageInitShape<typeof admin.RunSchema>[] }
  >;
  readonly show: Handler<{ readonly run: string }, { steps: MessageInitShape<typeof admin.RunStepSchema>[] }>;
  readonly retry: Handler<{ readonly run: string }, { run: string }>;
  readonly abandon: Handler<{ readonly run: string; readonly reason: string }, { run: string }>;
}

export function staffRuns({ unfinished, interrupt, store, categories }: StaffRunsOptions): StaffRuns {
  return {
    async list({ parkedOnly, accountId }) {
      const account = accountId === undefined ? undefined : requestedId("account", accountId);
      const rows = await unfinished(listedRunsLimit, account);
      const listed = parkedOnly ? rows.filter(({ status }) => status === "parked") : rows;
      return { runs: listed.map(runMessage) };
    },

    async show({ run }) {
      const steps: MessageInitShape<typeof admin.RunStepSchema>[] = [];
      // Reads no other streams, whatever id the caller sends.
      if (run.length <= longestRunId && categories.some((category) => run.startsWith(`${category}-`)))
        for await (const recorded of store.read(run, { limit: shownStepsLimit }))
          steps.push({
            event: recorded.type.replace(/\.v\d+$/, ""),
            at: recorded.time,
            ...defined({ reason: reasonIn(recorded) }),
          });
      if (steps.length === 0) throw rejectionError(rejection("run-not-found"));
      return { steps };
    },

    async retry({ run }, context) {
      await interrupt(run, { type: "retried" }, requestContextOf(context));
      return { run };
    },

    async abandon({ run, reason: given }, context) {
      const { reason } = validated({ reason: parseStaffReason(given) });
      await interrupt(run, { type: "abandoned", reason }, requestContextOf(context));
      return { run };
    },
  };
}

function reasonIn({ type, data }: RecordedEvent): string | undefined {
  try {
    const event = runsCodec.decode(type, data);
    return "reason" in event.data ? event.data.reason : undefined;
  } catch {
    // An event that this version cannot read is shown by its name.
    return undefined;
  }
}
