import type { FirstStep, LoadedRun } from "./run-journal.ts";

/** Looks for an answer in a run's state; undefined while there is none. */
export type Select<State, Answer> = (state: State) => Answer | undefined;

/** A run cannot be followed here any longer; it goes on later, here or elsewhere. (`suspended` is one that waits for staff.) */
export class RunOutOfSightError extends Error {
  override readonly name = "RunOutOfSightError";
}

export interface TakenRun<State, Input> {
  /** Begins the run where its stream has nothing yet; or interrupts it. */
  readonly first?: FirstStep<Input> | undefined;
  /** Known content of the run's stream; undefined if the stream must be read. */
  readonly known?: LoadedRun<State> | undefined;
}

interface Waiter<State> {
  offer(state: State): boolean;
  fail(error: Error): void;
}

/** A run that this process drives or follows, and the requests that wait for its answer. */
export class RunInHand<State, Input> {
  readonly runId: string;
  readonly first: TakenRun<State, Input>["first"];
  known: TakenRun<State, Input>["known"];
  /** Aborts when somebody knows that the provider has something to say: a pause before a question ends. */
  hastened = new AbortController();
  /** Settles when a request's part in the run ends; undefined where a round found the run. */
  followed: Promise<void> | undefined;
  /** The stored state: waiting callers see no other. */
  #stored: State;
  readonly #waiters = new Set<Waiter<State>>();

  constructor(runId: string, initialState: State, { first, known }: TakenRun<State, Input>) {
    this.runId = runId;
    this.first = first;
    this.known = known;
    this.#stored = known?.state ?? initialState;
  }

  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /** Waits until `select` finds something in the run's stored state. Rejects when the run stops here without it. */
  until<Answer>(select: Select<State, Answer>): Promise<Answer> {
    const answer = select(this.#stored);
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve, reject) => {
      const offer = (state: State): boolean => {
        const found = select(state);
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      this.#waiters.add({ offer, fail: reject });
    });
  }

  /** Resolves waiting callers during the work. The state is stored, so the answer is also true after a crash. */
  offer(state: State): void {
    this.#stored = state;
    for (const waiter of this.#waiters) if (waiter.offer(state)) this.#waiters.delete(waiter);
  }

  /** Rejects the waiting callers. */
  fail(error: unknown): void {
    for (const waiter of this.#waiters)
      waiter.fail(error instanceof Error ? error : new Error(String(error)));
    this.#waiters.clear();
  }
}
