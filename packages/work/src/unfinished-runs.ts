import type { DueKey } from "./engine/work-kind.ts";
import type { FirstStep } from "./run-journal.ts";

/** A run younger than this is still with the request that began it, in milliseconds. */
const orphanAgeMs = 10_000;

/** An unfinished run that does not wait for staff, as the read model shows it. */
export interface UnfinishedRun {
  readonly run: string;
  /** Subject of the run, for example a domain name. */
  readonly subject: string;
  readonly account_id: number;
  /** ISO 8601 UTC. */
  readonly started_at: string;
}

/** Sources of unfinished runs and of their first inputs. */
export interface UnfinishedRunsOptions<Input> {
  readonly clock: { epochMilliseconds(): number };
  /** Present where several processes drive runs, each with a lease for each run. */
  readonly leases?: unknown;
  /** The unfinished runs that do not wait for staff, by id, behind the given one, at most so many. */
  readonly unfinished: (after: string, limit: number) => Promise<readonly UnfinishedRun[]>;
  readonly runById: (run: string) => Promise<UnfinishedRun | undefined>;
  /**
   * Returns the first step of a run whose stream is still empty; undefined if there is none. Absent if the run's own
   * stream is the first record of a run.
   */
  readonly beginning?: (run: Pick<UnfinishedRun, "run" | "subject">) => Promise<FirstStep<Input> | undefined>;
}

/** Finds the runs that a dead process left. */
export class UnfinishedRuns<Input> {
  readonly #options: UnfinishedRunsOptions<Input>;
  /** The first round takes over every run without a driver: a process before this one may have died. */
  #rounds = 0;

  constructor(options: UnfinishedRunsOptions<Input>) {
    this.#options = options;
  }

  /**
   * Reads runs that a round may take over, after the given id.
   * @param isActive returns true for a run that is active here
   */
  async read(after: string, limit: number, isActive: (run: string) => boolean): Promise<readonly DueKey[]> {
    const { leases, unfinished } = this.#options;
    if (after === "") this.#rounds += 1;
    const found: UnfinishedRun[] = [];
    for (let from: string | undefined = after; from !== undefined && found.length < limit;) {
      const rows: readonly UnfinishedRun[] = await unfinished(from, limit);
      // A free lease proves that no process drives the run, however young the run is.
      found.push(
        ...rows.filter((row) => !isActive(row.run) && (leases !== undefined || !this.#isYoung(row))),
      );
      from = rows.length === limit ? rows.at(-1)?.run : undefined;
    }
    return found
      .slice(0, limit)
      .map(({ run: key, account_id: accountId }) => ({ key, accountId, isFailing: false }));
  }

  /**
   * Finds the first step of a run whose stream is still empty.
   * @param subject of the run; undefined if the row names it
   */
  async beginningOf(run: string, subject?: string): Promise<FirstStep<Input> | undefined> {
    const { beginning, runById } = this.#options;
    if (beginning === undefined) return undefined;
    if (subject !== undefined) return beginning({ run, subject });
    const row = await runById(run);
    // A young one without events is still with the request that reserved something for it.
    return row === undefined || this.#isYoung(row) ? undefined : beginning(row);
  }

  #isYoung({ started_at: startedAt }: UnfinishedRun): boolean {
    const ageMs = this.#options.clock.epochMilliseconds() - Date.parse(startedAt);
    // A run that began in the future began under a clock that was ahead: no request waits for it.
    return this.#rounds > 1 && ageMs >= 0 && ageMs < orphanAgeMs;
  }
}
