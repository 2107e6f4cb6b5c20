import type { MessageInitShape } from "@bufbuild/protobuf";
import { parseStaffReason } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import {
  fromRow,
  requestContextOf,
  requestedId,
  requireStaff,
  validated,
  type RequestContext,
  type WithContextValues,
} from "@hostledger/rpc";

import type { StaffWord } from "./paid-orders.ts";
import type { RunRow } from "./process-runs.ts";

/** Runs that one answer tells of at most. */
const listedRunsLimit = 10_000;

const runMessage = fromRow<RunRow>().toMessage(admin.RunSchema, {});

/** What a service says of its runs to staff. */
export interface StaffRunsOptions {
  /** Those that have not ended, oldest first, at most so many; only one account's where it is given. */
  readonly unfinished: (limit: number, accountId?: number) => Promise<readonly RunRow[]>;
  /** Gives a run staff's word. @throws ConnectError `run-not-found`, `run-not-parked` */
  readonly interrupt: (run: string, word: StaffWord, request: RequestContext) => Promise<void>;
}

type Handler<Request, Answer> = (request: Request, context: WithContextValues) => Promise<Answer>;

/** The handlers of what staff may do about unfinished runs, under whatever names a service has for them. */
export interface StaffRuns {
  readonly list: Handler<
    { readonly parkedOnly: boolean; readonly accountId?: bigint | undefined },
    { runs: MessageInitShape<typeof admin.RunSchema>[] }
  >;
  readonly retry: Handler<{ readonly run: string }, { run: string }>;
  readonly abandon: Handler<{ readonly run: string; readonly reason: string }, { run: string }>;
}

/** Makes the handlers. */
export function staffRuns({ unfinished, interrupt }: StaffRunsOptions): StaffRuns {
  return {
    async list({ parkedOnly, accountId }, context) {
      requireStaff(context);
      const account = accountId === undefined ? undefined : requestedId("account", accountId);
      const rows = await unfinished(listedRunsLimit, account);
      const listed = parkedOnly ? rows.filter(({ status }) => status === "parked") : rows;
      return { runs: listed.map(runMessage) };
    },

    async retry({ run }, context) {
      requireStaff(context);
      await interrupt(run, { type: "retried" }, requestContextOf(context));
      return { run };
    },

    async abandon({ run, reason: given }, context) {
      requireStaff(context);
      const { reason } = validated({ reason: parseStaffReason(given) });
      await interrupt(run, { type: "abandoned", reason }, requestContextOf(context));
      return { run };
    },
  };
}
