import { addMilliseconds, failuresBeforeTicket, type Next, type RejectionCode } from "@hostledger/core";
import { recentMs, type Executed } from "@hostledger/store";
import type { BackoffLimits } from "@hostledger/runtime/async";

import type { RunContext } from "../process-definition.ts";
import type { WorkFailure } from "./work.table.ts";

export type EffectEnd =
  /** Its outcome is stored. `step` counts it, for example `renewed`. Default: the next step comes at once, in the same round. */
  // `againAfterMs` counts from the beginning of the step: what happened meanwhile may have been overlooked.
  | { readonly outcome: "done"; readonly step: string; readonly againAfterMs?: number }
  /**
   * It is carried out again at an instant (ISO 8601 UTC); default: after the pause that `retry` says. An effect that names the
   * instant has recorded the attempt itself, so that nothing is logged. `code` is for a request that waits.
   */
  | {
      readonly outcome: "failed";
      readonly reason: string;
      readonly retryAt?: string;
      readonly code?: RejectionCode;
    };

export interface Attempt {
  /** Number of the attempt, from 1. Earlier attempts failed in an unbroken series, also before a restart. */
  readonly number: number;
  /** An earlier call may have reached the provider: a refusal of this one does not prove that nothing was done. */
  readonly isUncertain: boolean;
  /** For whom the work began with this attempt; undefined where it began before. */
  readonly context: RunContext | undefined;
}

export function endOf(executed: Executed<unknown, unknown>, step: string): EffectEnd {
  return executed.accepted
    ? { outcome: "done", step }
    : { outcome: "failed", reason: executed.rejection.message };
}

/** Carries out one type of effect, and says how often that is tried. */
export interface EffectHandler<State, Effect> {
  /** Pauses between attempts that fail one after the other. */
  readonly retry: BackoffLimits;
  /** Number of failed attempts after which a waiting request gets an answer. Default: 1. */
  readonly attemptsInSight?: number;
  /**
   * Safe to repeat: its outcome is stored under ids that follow from the state.
   * @param signal aborts when a long effect shall end early: the process stops, or another one has the work.
   */
  carryOut(effect: Effect, state: State, signal: AbortSignal, attempt: Attempt): Promise<EffectEnd>;
}

/** Keys that a table of the service's own makes due, for example deliveries to a receiver. */
export interface DueKeys {
  /** Keys of one account that are worked on at a time. */
  readonly atOnce: number;
  /** Accounts worked for at a time. Default: 16. */
  readonly accounts?: number;
  /** Reads keys that are due and not paused after a failed attempt, by name, behind the given one, at most so many. */
  read(now: string, after: string, limit: number): Promise<readonly DueKey[]>;
}

export interface DueKey {
  readonly key: string;
  readonly accountId: number;
  /** True if the last attempt failed: the key then delays only other failing keys. */
  readonly isFailing: boolean;
}

/** A kind of work. The engine knows nothing else of it. */
export interface WorkKind<State, Effect extends { readonly type: string }> {
  /** Unique in its service, for example `domain-term`. */
  readonly name: string;
  /**
   * True where the work makes something outside be as the events say. It goes on while the time is not trusted, begins with a look
   * at every key when a process starts, and one process at a time works on a key.
   */
  readonly isDesiredState?: boolean;
  /** Keys that no event begins: they are due at each start of the rounds, after a pause in milliseconds. */
  readonly begins?: { readonly keys: readonly string[]; readonly afterMs: number };
  /** False for work that goes on while the time is not trusted. Default: true, except for a desired state. */
  readonly needsTrustedTime?: boolean;
  /** Left out where the table of due work has the keys. */
  readonly due?: DueKeys;
  /**
   * Reads the state for `next`.
   * @returns undefined if the key has nothing to work on.
   * @param maxAgeMs maximum age of a cached state; after a step, this process has the state that the step stored.
   * @throws Every read error; the engine tries again after a pause.
   */
  load(key: string, maxAgeMs: number): Promise<State | undefined>;
  /** Decides the next step. Pure: no clock, no I/O. */
  next(state: State, now: string): Next<Effect>;
  readonly effects: {
    readonly [Type in Effect["type"]]: EffectHandler<State, Extract<Effect, { readonly type: Type }>>;
  };
  /** Has staff look at work that stopped. Safe to repeat. */
  tellStaff?(state: State, reason: string): Promise<void>;
  /**
   * Opens a staff ticket for a key whose attempts fail repeatedly. Safe to repeat: one cause has one ticket.
   * @param code of the last failed attempt; absent if the effect named none.
   */
  tellOfFailures?(key: string, reason: string, code?: RejectionCode): Promise<void>;
}

/** Result of one look at a key: the steps taken, and the end. */
export type Attended = { readonly steps: readonly string[] } & (
  | { readonly end: "waiting"; readonly until: string | null; readonly awaitsFunds: boolean }
  | {
      readonly end: "failed";
      readonly effect: string;
      readonly reason: string;
      readonly code?: RejectionCode;
      readonly retry: BackoffLimits;
      /** Replaces the instant that follows from `retry`. */
      readonly retryAt?: string;
      /** Attempts that failed one after the other. */
      readonly attempts: number;
      /** True if a waiting request gets its answer now. */
      readonly isInSight: boolean;
    }
  /** It stays due: the time is not trusted, the process stops, or another process or request works on the key. */
  | { readonly end: "due" }
);

export interface Look {
  now(): string;
  /** False while nothing may be done because of the time alone. */
  isTimeTrusted(): boolean;
  /** Aborts when the process stops: the current step is then the last. */
  readonly signal: AbortSignal;
  /** The attempts that failed before. */
  readonly failure: WorkFailure | undefined;
  /** For whom the work begins now; left out where somebody may have attempted it before. */
  readonly context?: RunContext | undefined;
}

/** A kind of work with its types erased, as the engine uses it. */
export interface AnyWorkKind {
  readonly name: string;
  readonly isDesiredState: boolean;
  readonly begins: { readonly keys: readonly string[]; readonly afterMs: number };
  readonly needsTrustedTime: boolean;
  readonly due: DueKeys | undefined;
  /** True where every process runs rounds, and claims each key by a lease of its own. A table of its own has the keys. */
  readonly inEveryProcess?: boolean;
  /** Takes steps until there is nothing to do now. Never throws. */
  attend(key: string, look: Look): Promise<Attended>;
}

/** Steps of one key in one look: a domain that missed many years is caught up, one charge for each. */
const stepLimit = 50;

/** Pauses after a state could not be read, in milliseconds. */
const loadRetry: BackoffLimits = { firstMs: 1_000, longestMs: 3_600_000 };

export function workKind<State, Effect extends { readonly type: string }>(
  kind: WorkKind<State, Effect>,
): AnyWorkKind {
  const { isDesiredState = false, needsTrustedTime = !isDesiredState } = kind;

  /** @returns undefined after a step that was taken, and noted in `steps`. */
  async function advance(key: string, look: Look, steps: string[]): Promise<Attended | undefined> {
    const beganAt = look.now();
    const state = await kind.load(key, steps.length === 0 ? 0 : recentMs);
    // The clock may have jumped since the look began.
    if (needsTrustedTime && !look.isTimeTrusted()) return { steps, end: "due" };
    const next = state === undefined ? "done" : kind.next(state, look.now());
    if (state === undefined || next === "done") return { steps, ...untilItChanges };
    if ("wait" in next)
      return { steps, end: "waiting", until: next.wait, awaitsFunds: next.awaitsFunds ?? false };
    if ("stopped" in next) {
      await kind.tellStaff?.(state, next.stopped);
      return { steps, ...untilItChanges };
    }
    const { do: effect } = next;
    const handler = handlerOf(kind, effect);
    const { retry, attemptsInSight = 1 } = handler;
    const attempts = attemptsAt(look, effect.type, steps) + 1;
    const { context } = look;
    const isUncertain = attempts > 1 || (steps.length === 0 && context === undefined);
    const attempt = { number: attempts, isUncertain, context };
    const end = await handler.carryOut(effect, state, look.signal, attempt).catch(failedBy);
    if (end.outcome === "failed") {
      const { outcome: _, ...failure } = end;
      const isInSight = attempts >= attemptsInSight;
      return { steps, end: "failed", effect: effect.type, ...failure, retry, attempts, isInSight };
    }
    steps.push(end.step);
    return end.againAfterMs === undefined ? undefined : { steps, ...goesOn(beganAt, end.againAfterMs) };
  }

  return {
    name: kind.name,
    isDesiredState,
    begins: kind.begins ?? { keys: [], afterMs: 0 },
    needsTrustedTime,
    due: kind.due,
    async attend(key, look) {
      const steps: string[] = [];
      while (steps.length < stepLimit && !look.signal.aborted) {
        const attended = await advance(key, look, steps).catch((error: unknown): Attended => ({
          steps,
          end: "failed",
          effect: "",
          reason: reasonOf(error),
          retry: loadRetry,
          attempts: attemptsAt(look, "", steps) + 1,
          isInSight: true,
        }));
        if (attended === undefined) continue;
        // If the ticket cannot be opened now, the next failed attempt opens it.
        if (attended.end === "failed" && attended.attempts >= failuresBeforeTicket)
          await kind.tellOfFailures?.(key, attended.reason, attended.code).catch(() => undefined);
        return attended;
      }
      return look.signal.aborted ? { steps, end: "due" } : { steps, ...goesOn(look.now()) };
    },
  };
}

function attemptsAt({ failure }: Pick<Look, "failure">, effect: string, steps: readonly string[]): number {
  return steps.length === 0 && failure?.effect === effect ? failure.attempts : 0;
}

const untilItChanges = { end: "waiting", until: null, awaitsFunds: false } as const;

/** Makes the key due in the next round, or after a pause. */
function goesOn(since: string, afterMs = 0) {
  return { end: "waiting", until: addMilliseconds(since, afterMs), awaitsFunds: false } as const;
}

function handlerOf<State, Effect extends { readonly type: string }>(
  { name, effects }: WorkKind<State, Effect>,
  { type }: Effect,
): EffectHandler<State, Effect> {
  const handlers: Readonly<Record<string, EffectHandler<State, Effect>>> = effects;
  const handler = handlers[type];
  if (handler === undefined) throw new Error(`${name} has no handler of ${type}`);
  return handler;
}

function failedBy(error: unknown): EffectEnd {
  return { outcome: "failed", reason: reasonOf(error) };
}

/** Characters of a reason that are kept. */
const longestReason = 500;

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, longestReason);
}
