import { runRoleOf, type EventRole } from "@hostledger/core";
import {
  handling,
  table,
  tablesOf,
  type ParameterOf,
  type ReadModelDatabase,
  type RowWriter,
  type Schema,
} from "@hostledger/read";

/** Read model of unfinished runs, for take-over at start-up and for staff. */
export const runTables = {
  process_runs: table({
    columns: {
      run: "text",
      process: "text",
      subject: "text",
      account_id: "integer",
      /** `running`, `waiting` for an outside party, or `parked` for staff. */
      status: "text",
      step: "text",
      started_at: "text",
      reason: "text?",
    },
    primaryKey: ["run"],
    indexes: [
      { columns: ["process", "started_at"] },
      { columns: ["started_at"] },
      { columns: ["account_id"] },
    ],
  }),
};

/** The table as queries see it. */
export type RunSchema = Schema<typeof runTables>;

export type RunRow = Omit<RunSchema["process_runs"], "log_position">;

/** Number of runs of a kind with a status, and the age of the oldest run. */
export interface RunFigure {
  readonly process: string;
  readonly status: string;
  readonly runs: number;
  /** ISO 8601 UTC. */
  readonly oldestStartedAt: string;
}

export interface RunQueries {
  /** Returns the numbers of unfinished runs by process and status. */
  runFigures(): Promise<readonly RunFigure[]>;
  runById(run: string): Promise<RunRow | undefined>;
  /** Oldest first, at most so many. @param accountId only this account's */
  unfinishedRuns(limit: number, accountId?: number): Promise<readonly RunRow[]>;
  /** Returns runs of one kind that do not wait for staff, by id, after the given id. */
  runsToDrive(process: string, after: string, limit: number): Promise<readonly RunRow[]>;
}

/** Prepares the queries, once. @param service's read models, of which this is one. */
export function runQueries<Tables extends RunSchema>(service: ReadModelDatabase<Tables>): RunQueries {
  const database = tablesOf<RunSchema, Tables>(service);
  const runById = database.prepared((db, parameter: ParameterOf<{ run: string }>) =>
    db.selectFrom("process_runs").selectAll().where("run", "=", parameter("run")),
  );
  const unfinishedRuns = database.prepared(
    (db, parameter: ParameterOf<{ accountId: number; limit: number }>) =>
      db
        .selectFrom("process_runs")
        .selectAll()
        .where((where) =>
          where.or([where("account_id", "=", parameter("accountId")), where(parameter("accountId"), "=", 0)]),
        )
        .orderBy("started_at")
        .orderBy("run")
        .limit(parameter("limit")),
  );
  const runsToDrive = database.prepared(
    (db, parameter: ParameterOf<{ process: string; after: string; limit: number }>) =>
      db
        .selectFrom("process_runs")
        .selectAll()
        .where("process", "=", parameter("process"))
        .where("status", "<>", "parked")
        .where("run", ">", parameter("after"))
        .orderBy("run")
        .limit(parameter("limit")),
  );
  const runFigures = database.prepared((db) =>
    db
      .selectFrom("process_runs")
      .select((row) => [
        "process",
        "status",
        row.fn.countAll<number | string>().as("runs"),
        row.fn.min("started_at").as("oldestStartedAt"),
      ])
      .groupBy(["process", "status"]),
  );
  return {
    // PostgreSQL counts in 64 bits, which come as text.
    runFigures: async () => (await runFigures.all({})).map((row) => ({ ...row, runs: Number(row.runs) })),
    runById: (run) => runById.first({ run }),
    unfinishedRuns: (limit, accountId = 0) => unfinishedRuns.all({ accountId, limit }),
    runsToDrive: (process, after, limit) => runsToDrive.all({ process, after, limit }),
  };
}

type RunWriter = RowWriter<typeof runTables>;

interface RunEvent {
  readonly event: { readonly data: object };
  readonly stream: string;
}

/** Data that a run's first event gives to its row. */
export interface BegunRun {
  readonly run: string;
  readonly process: string;
  readonly subject: string;
  readonly accountId: number;
  readonly step: string;
  readonly startedAt: string;
}

/** The row of a run that begins. */
export function runBegun({ accountId, startedAt, ...run }: BegunRun) {
  return { ...run, account_id: accountId, status: "running", started_at: startedAt, reason: null };
}

/** Roles of events after which a run waits for an outside party. */
const waitingRoles: ReadonlySet<EventRole> = new Set([
  "inquiryFailed",
  "notHeld",
  "pending",
  "cancellationDue",
]);

/** Roles of events that say why a run is not where it was to be. */
const reasonedRoles: ReadonlySet<EventRole> = new Set(["inquiryFailed", "refused", "unanswered"]);

/**
 * Creates the row handlers of a process's events by their roles.
 * @param events of one process, or of several with equal roles.
 * @param steps step of the run after each role; a role without an entry does not change the row.
 */
export function runRows<Events extends object>(events: Events, steps: Partial<Record<EventRole, string>>) {
  return handling((name) => rowAfter(runRoleOf(name), steps), events);
}

function rowAfter(role: EventRole | undefined, steps: Partial<Record<EventRole, string>>) {
  switch (role) {
    case undefined:
      return "ignored";
    case "suspended":
      return runSuspended;
    case "retried":
      return runAt("running");
    case "abandoned":
      return runAbandoned;
    case "ended":
      return runEnded;
    default: {
      const step = steps[role];
      if (step === undefined && !reasonedRoles.has(role)) return "ignored";
      return runAt(waitingRoles.has(role) ? "waiting" : "running", step);
    }
  }
}

/** An event after which a run is at a step; without one it stays at the step at which it is. */
export function runAt(status: "running" | "waiting", step?: string) {
  const at = step === undefined ? { status } : { status, step };
  return (db: RunWriter, { event: { data }, stream: run }: RunEvent): void => {
    db.update("process_runs", { run }, { ...at, reason: reasonIn(data) });
  };
}

function reasonIn(data: object): string | null {
  return "reason" in data && typeof data.reason === "string" ? data.reason : null;
}

function runSuspended(db: RunWriter, { event: { data }, stream: run }: RunEvent): void {
  db.update("process_runs", { run }, { status: "parked", reason: reasonIn(data) });
}

/** Staff know why they ended it. */
function runAbandoned(db: RunWriter, { stream: run }: RunEvent): void {
  db.update("process_runs", { run }, { status: "running", step: "abandoning", reason: null });
}

function runEnded(db: RunWriter, { stream: run }: RunEvent): void {
  db.delete("process_runs", { run });
}
