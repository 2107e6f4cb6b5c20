import { realTiming } from "@hostledger/runtime/async";
import { onTestFinished, vi } from "vitest";

import type { ProcessManager, ProcessManagerOptions } from "./managed-process.ts";
import {
  parcelDefinition,
  type ParcelEvent,
  type ParcelEffects,
  type ParcelInput,
  type ParcelState,
} from "./parcel.fixture.ts";
import { createProcessManager } from "./process-manager.ts";
import type { RunContext } from "./process-definition.ts";
import { ScriptedStore } from "./scripted-store.fixture.ts";

export const context: RunContext = { correlationId: "correlation-1", actor: "account:7", requestId: "r-1" };
export const accepted: ParcelInput = { type: "accepted" };

/** What comes of a step: an input, an error, or whatever the spec's own function does. */
export type Outcome = ParcelInput["type"] | ParcelInput | Error | (() => Promise<ParcelInput>);

/** The outcomes of each step, in order; the last one holds from then on. */
export type Script = Partial<Record<keyof ParcelEffects, readonly Outcome[]>>;

/** A manager of parcels, its store, and the diary of all that is stored and done. */
export interface Harness {
  readonly manager: ProcessManager<ParcelState, ParcelInput>;
  readonly store: ScriptedStore;
  readonly diary: string[];
  /** Messages of the manager's log. */
  readonly log: string[];
  /** Another process over the same store and diary. */
  another(owner: string, script?: Script, options?: HarnessOptions): Harness;
}

/** What a spec sets up differently. */
export type HarnessOptions = Pick<
  ProcessManagerOptions<ParcelState, ParcelInput, ParcelEvent>,
  "activeLimit" | "stepAttempts" | "leases"
> & {
  /** Calls are first ones. */
  readonly isFirst?: boolean;
};

const smooth: Required<Script> = { pack: ["packed"], ship: ["shipped"], refund: ["refunded"] };

/** Sets up a manager whose time stands still until the spec lets it pass. */
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
  const manager = createProcessManager({
    store,
    definition: parcelDefinition(scripted({ ...smooth, ...script }, diary), isFirst),
    clock: { ...realTiming, now: () => new Date().toISOString(), epochMilliseconds: () => Date.now() },
    recordedBy: "spec",
    owner,
    logger: {
      error: (_fields, message) => log.push(message),
      info: (_fields, message) => log.push(message),
    },
    ...options,
  });
  const another = (name: string, other: Script = script, others: HarnessOptions = setup.options): Harness =>
    openHarnessOver(store, diary, { script: other, options: others, owner: name });
  return { manager, store, diary, log, another };
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

/** Lets everything happen that waits for no time. */
export async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** Lets time pass. */
export async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
