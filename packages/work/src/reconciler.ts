import { failuresBeforeTicket } from "@hostledger/core";
import { recentMs } from "@hostledger/store";
import type { Leases } from "./leases/index.ts";
import type { Tracing } from "@hostledger/runtime";
import { Backoff, isAborted, within, type Timing } from "@hostledger/runtime/async";

import { contextOfOrphan, type AttemptEnd, type Effects, type Orphan, type Pursued } from "./effects.ts";
import type { RunContext } from "./process-definition.ts";
import { ResourceHolds, type Hold } from "./resource-holds.ts";
import { attemptInTrace } from "./run-spans.ts";

/** What a reconciler is made of. */
export interface ReconcilerOptions<Wanted, Reason> {
  readonly effects: Effects<Wanted, Reason>;
  readonly clock: Timing & { epochMilliseconds(): number };
  readonly logger: {
    error(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
  /** Begins the names of leases, as in `domain-change-example.com`. */
  readonly leasePrefix: string;
  /** Says which of several processes has a resource. Left out where there is one. */
  readonly leases?: Leases;
  /** Where a collector wants to know of every attempt. */
  readonly tracing?: Tracing;
  /** What is unfinished, oldest first, at most so many; what waits for staff is not among it. */
  orphans(limit: number): Promise<readonly Orphan[]>;
}

/** What is pursued, and how. */
export interface Pursuit<Reason> {
  /** Why it is not so yet, as soon as that is clear; undefined when it ended, or when no reason can be told. */
  readonly known: Promise<Reason | undefined>;
  readonly ended: Promise<void>;
}

/** Begins a pursuit. */
export interface PursuitOptions {
  readonly context: RunContext;
  /** Begun by a process that died: it may have called already. */
  readonly isTakenOver: boolean;
  /** The resource, for as long as it takes; released at the end. Left out, it is taken for each attempt. */
  readonly hold?: Hold;
  /** The first attempt was made already: a pause comes first. */
  readonly isTried?: boolean;
  /** Nobody else has acted on the resource since what is in memory was stored here: the hold is older than that. */
  readonly isSeen?: boolean;
}

/**
 * Makes things outside be as the facts say, and keeps at it until they are: compares what is wanted with what is so, acts,
 * records what came of it, and asks where nobody answered. It needs no memory of its own: whatever is unfinished says so
 * itself, to the next owner too.
 */
export interface Reconciler<Reason> {
  /** False while as much is pursued here as may be. */
  readonly hasRoom: boolean;
  /** How many things are pursued here. */
  readonly pursuing: number;
  /**
   * Takes a resource for oneself: in this process first, then among processes.
   * @param limitMs how long to wait for it; 0 takes it only where nobody has it.
   */
  acquire(resource: string, limitMs: number): Promise<Hold | undefined>;
  /** Does work on a resource after everything else about it here has ended. */
  exclusively<Result>(resource: string, work: () => Promise<Result>): Promise<Result>;
  /** What is pursued under this id. */
  pursuitOf(id: string): Pursuit<Reason> | undefined;
  /** Tries until the facts want nothing more. What is pursued already is joined. */
  pursue(pursued: Pursued, options: PursuitOptions): Pursuit<Reason>;
  /** Tries once, now; where that does not do, it goes on by itself. Without an attempt's end, it threw. */
  settle(pursued: Pursued, context: RunContext): Promise<AttemptEnd<Reason>>;
  /** Waits for what becomes of a pursuit. @returns the reason that is known, or undefined when it ended or time is over. */
  within(pursuit: Pursuit<Reason>, limitMs: number): Promise<Reason | undefined>;
  /** Takes over what a dead owner left, until the signal aborts: all at once first, then whatever nobody pursues. */
  resumeOrphaned(signal: AbortSignal): Promise<void>;
  /** Lets every attempt in hand end, then stops. What is unfinished goes on with the next owner. */
  stop(): Promise<void>;
}

/** How often orphans are looked for, and how old they must be: till then somebody else has them. In milliseconds. */
const sweepIntervalMs = 5_000;
const orphanAgeMs = 10_000;
const sweepLimit = 10_000;

/** Things pursued at a time. */
const activeLimit = 10_000;

/** Attempts that could not even read the facts, after which whoever waits is told. */
const unseenAttempts = 3;

/** Creates a reconciler of one kind of resource. */
export function createReconciler<Wanted, Reason>(
  options: ReconcilerOptions<Wanted, Reason>,
): Reconciler<Reason> {
  return new EffectDriver(options);
}

interface DrivenPursuit<Reason> extends Pursuit<Reason> {
  /** Nothing is left to do. */
  end(): void;
}

/** What has been tried for what is wanted now. */
interface Progress {
  readonly name: string;
  readonly attempts: number;
  /** Its outcome is a fact. */
  readonly isRecorded: boolean;
  readonly backoff: Backoff;
}

/** What comes after an attempt. */
type Next = "over" | { readonly progress: Progress; readonly pauseMs: number };

/** A pursuit while it is driven. */
interface Drive<Reason> {
  readonly pursued: Pursued;
  readonly context: RunContext;
  readonly isTakenOver: boolean;
  readonly isSeen: boolean;
  readonly tell: (reason: Reason | undefined) => void;
}

class EffectDriver<Wanted, Reason> implements Reconciler<Reason> {
  readonly #options: ReconcilerOptions<Wanted, Reason>;
  readonly #resources: ResourceHolds;
  readonly #pursuits = new Map<string, DrivenPursuit<Reason>>();
  readonly #stopping = new AbortController();

  constructor(options: ReconcilerOptions<Wanted, Reason>) {
    this.#options = options;
    this.#resources = new ResourceHolds(options, this.#stopping.signal);
  }

  get hasRoom(): boolean {
    return this.#pursuits.size < activeLimit && this.#resources.hasRoom;
  }

  get pursuing(): number {
    return this.#pursuits.size;
  }

  acquire(resource: string, limitMs: number): Promise<Hold | undefined> {
    return this.#resources.acquire(resource, limitMs);
  }

  exclusively<Result>(resource: string, work: () => Promise<Result>): Promise<Result> {
    return this.#resources.exclusively(resource, work);
  }

  pursuitOf(id: string): Pursuit<Reason> | undefined {
    return this.#pursuits.get(id);
  }

  pursue(pursued: Pursued, options: PursuitOptions): Pursuit<Reason> {
    const present = this.#pursuits.get(pursued.id);
    if (present !== undefined) {
      options.hold?.release();
      return present;
    }
    const known = Promise.withResolvers<Reason | undefined>();
    const over = new AbortController();
    const { context, isTakenOver, isSeen = false } = options;
    const drive = { pursued, context, isTakenOver, isSeen, tell: known.resolve };
    const ended = this.#drive(drive, options, over.signal).then(() => {
      this.#pursuits.delete(pursued.id);
      options.hold?.release();
      known.resolve(undefined);
    });
    const pursuit = {
      known: known.promise,
      ended,
      end() {
        over.abort();
      },
    };
    this.#pursuits.set(pursued.id, pursuit);
    return pursuit;
  }

  async settle(pursued: Pursued, context: RunContext): Promise<AttemptEnd<Reason>> {
    const { effects } = this.#options;
    const goOn = (): void => {
      this.pursue(pursued, { context, isTakenOver: true, isTried: true });
    };
    try {
      const end = await this.exclusively(pursued.resource, async (): Promise<AttemptEnd<Reason>> => {
        const wanted = await effects.wanted(pursued, 0);
        if (wanted === undefined) return { kind: "agreed" };
        const attempt = { number: 1, isUncertain: true, context };
        return attemptInTrace(this.#options, attempt, () => effects.attempt(pursued, wanted, attempt));
      });
      if (end.kind === "agreed") this.#pursuits.get(pursued.id)?.end();
      else goOn();
      return end;
    } catch (error) {
      goOn();
      throw error;
    }
  }

  within({ known }: Pursuit<Reason>, limitMs: number): Promise<Reason | undefined> {
    return within(limitMs, known, () => undefined, this.#options.clock);
  }

  async resumeOrphaned(signal: AbortSignal): Promise<void> {
    await this.#sweep(0, signal);
    while (!isAborted(signal)) {
      await this.#options.clock.sleep(sweepIntervalMs, signal);
      await this.#sweep(orphanAgeMs, signal);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#pursuits.values()].map(({ ended }) => ended));
  }

  /** Tries until nothing is wanted any more, or somebody else has the resource, or the reconciler stops. Never throws. */
  async #drive(drive: Drive<Reason>, options: PursuitOptions, over: AbortSignal): Promise<void> {
    const { hold, isTried = false } = options;
    const lost = hold?.lost === undefined ? [] : [hold.lost];
    const ends = [this.#stopping.signal, over, ...lost];
    const once = (progress: Progress | undefined): Promise<Next> => {
      const attempt = (): Promise<Next> => this.#attempt(drive, progress);
      return hold === undefined ? this.exclusively(drive.pursued.resource, attempt) : attempt();
    };
    let progress: Progress | undefined;
    let pauseMs = isTried ? this.#backoff(undefined).next() : 0;
    for (;;) {
      if (pauseMs > 0) await this.#options.clock.sleep(pauseMs, AbortSignal.any(ends));
      if (ends.some(isAborted)) return;
      const next = await once(progress);
      if (next === "over") return;
      ({ progress, pauseMs } = next);
    }
  }

  async #attempt(drive: Drive<Reason>, earlier: Progress | undefined): Promise<Next> {
    const { effects, logger } = this.#options;
    const { pursued, context, isTakenOver, isSeen, tell } = drive;
    const { id, resource } = pursued;
    let wanted: Wanted | undefined;
    let { name, attempts, backoff } = earlier ?? { name: "", attempts: 0, backoff: this.#backoff(undefined) };
    try {
      // What was recorded just now is known here, and whatever comes of it is recorded by facts that are proven by their append.
      wanted = await effects.wanted(pursued, (earlier?.isRecorded ?? isSeen) ? recentMs : 0);
      if (wanted === undefined) return "over";
      if (effects.nameOf(wanted) !== name) {
        name = effects.nameOf(wanted);
        attempts = 0;
        backoff = this.#backoff(wanted);
      } else if (earlier?.isRecorded === true) throw new Error("what is recorded is wanted still");
      attempts += 1;
      // Whatever happened to an earlier attempt, it may have reached the provider.
      const isUncertain = attempts > 1 || (isTakenOver && earlier === undefined);
      const attempt = { number: attempts, isUncertain, context };
      const trying = wanted;
      const end = await attemptInTrace(this.#options, attempt, () =>
        effects.attempt(pursued, trying, attempt),
      );
      if (end.kind === "agreed") return "over";
      if (end.kind === "recorded")
        return { progress: { name, attempts, isRecorded: true, backoff }, pauseMs: 0 };
      if (attempts >= effects.attemptsInSight(wanted)) tell(end.reason);
      if (attempts >= failuresBeforeTicket) await effects.tellStaff?.(pursued, wanted, end.reason);
      logger.info({ resource, id, attempts, reason: end.reason }, "what is wanted is not so yet");
    } catch (error) {
      if (wanted === undefined) attempts += 1;
      const inSight = wanted === undefined ? unseenAttempts : effects.attemptsInSight(wanted);
      if (attempts >= inSight) tell(undefined);
      logger.error({ resource, id, attempts, error }, "an attempt failed");
    }
    return { progress: { name, attempts, isRecorded: false, backoff }, pauseMs: backoff.next() };
  }

  #backoff(wanted: Wanted | undefined): Backoff {
    const { clock, effects } = this.#options;
    return new Backoff(effects.backoffOf(wanted), clock);
  }

  async #sweep(minimumAgeMs: number, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const bound = clock.epochMilliseconds() - minimumAgeMs;
    for (const orphan of await this.#options.orphans(sweepLimit)) {
      // What finds no room now finds some in a later round, here or elsewhere.
      if (isAborted(signal) || !this.hasRoom) return;
      const { id, resource } = orphan;
      if (this.#pursuits.has(id) || Date.parse(orphan.since) > bound) continue;
      const context = await contextOfOrphan(orphan, logger);
      // One that is busy is so with this or with a request that will find it: a later round looks again.
      const hold = context === undefined ? undefined : await this.acquire(resource, 0);
      if (context === undefined || hold === undefined) continue;
      logger.info({ resource, id }, "takes over what is unfinished");
      this.pursue({ id, resource }, { context, isTakenOver: true, hold });
    }
  }
}
