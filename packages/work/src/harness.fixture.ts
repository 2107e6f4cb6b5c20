import { realTiming } from "@hostledger/runtime/async";
import { onTestFinished, vi } from "vitest";

import { memoryWorkStore } from "./engine/memory-work-store.fixture.ts";
import { createWorkEngine } from "./engine/work-engine.ts";
import type { WorkEngine } from "./engine/work-engine.port.ts";
import {
  parcelDefinition,
  type ParcelEvent,
  type ParcelEffects,
  type ParcelInput,
  type ParcelState,
} from "./parcel.fixture.ts";
import type { RunContext } from "./process-definition.ts";
import { RunWork, type RunWorkOptions } from "./run-work.ts";
import { ScriptedStore } from "./scripted-store.fixture.ts";

export const context: RunContext = { correlationId: "correlation-1", actor: "account:7", requestId: "r-1" };
export const accepted: ParcelInput = { type: "accepted" };

/** Result of a step: an input, an error, or the result of the spec's own function. */
export type Outcome = ParcelInput["type"] | ParcelInput | Error | (() => Promise<ParcelInput>);

/** The outcomes of each step, in order; the last one holds from then on. */
export type Script = Partial<Record<keyof ParcelEffects, readonly Outcome[]>>;

/** The runs of one process, with the engine that works on them. */
export type Manager = Omit<RunWork<ParcelState, ParcelInput, ParcelEvent>, "work"> & {
  readonly engine: WorkEngine;
  /** Begins a look at a run, as a round does. */
  takeUp(runId: string): Promise<void>;
};

/** The runs of parcels, their store, and the diary of all that is stored and done. */
export interface Harness {
  readonly manager: Manager;
  readonly store: ScriptedStore;
  readonly diary: string[];
  /** Messages of the manager's log. */
  readonly log: string[];
  /** Another process over the same store and diary. */
  another(owner: string, script?: Script, options?: HarnessOptions): Harness;
}

/** Options that a spec changes. */
export type HarnessOptions = Pick<
  RunWorkOptions<ParcelState, ParcelInput, ParcelEvent>,
  "activeLimit" | "stepAttempts" | "leases"
> & {
  /** Ids of the runs that the read model shows. */
  readonly rows?: readonly string[];
  /** Calls are first ones. */
  readonly isFirst?: boolean;
};

const smooth: Required<Script> = { pack: ["packed"], ship: ["shipped"], refund: ["refunded"] };

/** Opens a manager whose clock stands still until the spec advances the time. */
export function openHarness(script: Script = {}, options: HarnessOptions = {}): Harness {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 1, 10) });
  // Pauses are as long as chance may make them.
  const random = vi.spyOn(Math, "random").mockReturnValue(1);
  onTestFinished(() => {
    random.mockRestore();
    vi.useRealTimers();
  });
  const diary: string[] = [];
  return openHarnessOver(new ScriptedStore(diary), diary, { script, options, owner: "owner-1" });
}

function openHarnessOver(
  store: ScriptedStore,
  diary: string[],
  setup: { readonly script: Script; readonly options: HarnessOptions; readonly owner: string },
): Harness {
  const { script, owner } = setup;
  const { isFirst, ...options } = setup.options;
  const log: string[] = [];
  const definition = parcelDefinition(scripted({ ...smooth, ...script }, diary), isFirst);
  const logger = {
    error: (_fields: object, message: string) => log.push(message),
    info: (_fields: object, message: string) => log.push(message),
  };
  const manager = openManager({ store, definition, owner, logger, ...options });
  const another = (name: string, other: Script = script, others: HarnessOptions = setup.options): Harness =>
    openHarnessOver(store, diary, { script: other, options: others, owner: name });
  return { manager, store, diary, log, another };
}

/** Opens the runs of a process, and an engine for them. */
export function openManager({
  rows = [],
  ...options
}: Pick<
  RunWorkOptions<ParcelState, ParcelInput, ParcelEvent>,
  "activeLimit" | "definition" | "leases" | "logger" | "owner" | "stepAttempts" | "store"
> &
  Pick<HarnessOptions, "rows">): Manager {
  const now = () => new Date().toISOString();
  const clock = { ...realTiming, now, epochMilliseconds: () => Date.now() };
  const shown = rows.map((run) => ({ run, subject: run, account_id: 7, started_at: "2026-01-01" }));
  const runs = new RunWork<ParcelState, ParcelInput, ParcelEvent>({
    name: "parcel",
    recordedBy: "spec",
    clock,
    engine: () => engine,
    unfinished: (after) => Promise.resolve(shown.filter(({ run }) => run > after)),
    runById: (id) => Promise.resolve(shown.find(({ run }) => run === id)),
    ...options,
  });
  const { leases } = options;
  const engine = createWorkEngine(
    { kinds: [runs.work], clock, lease: "parcels", leases, logger: { warn: () => undefined } },
    memoryWorkStore(),
  );
  return {
    engine,
    get activeRuns() {
      return runs.activeRuns;
    },
    get hasRoom() {
      return runs.hasRoom;
    },
    start: (...run) => {
      runs.start(...run);
    },
    until: (...asked) => runs.until(...asked),
    recall: (...asked) => runs.recall(...asked),
    interrupt: (...given) => runs.interrupt(...given),
    hasten: (run) => {
      runs.hasten(run);
    },
    isActive: (run) => runs.isActive(run),
    async takeUp(key) {
      void engine.attend({ kind: "parcel", key }, { limitMs: 0 });
      await settle();
    },
    stop: async () => void (await Promise.all([runs.stop(), engine.stop()])),
  };
}

function scripted(script: Required<Script>, diary: string[]): ParcelEffects {
  const effect = (step: keyof ParcelEffects): (() => Promise<ParcelInput>) => {
    const outcomes = [...script[step]];
    return async () => {
      diary.push(step);
      const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
      if (outcome === undefined) throw new Error(`the script says nothing about ${step}`);
      if (outcome instanceof Error) throw outcome;
      if (typeof outcome === "function") return outcome();
      return typeof outcome === "string" ? { type: outcome } : outcome;
    };
  };
  return { pack: effect("pack"), ship: effect("ship"), refund: effect("refund") };
}

/** Runs everything that waits for no time. */
export async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** Advances the time. */
export async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
