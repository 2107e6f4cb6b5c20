import {
  domainCodec,
  rejection,
  settledChange,
  type ChangeFailure,
  type DomainChange,
  type DomainChangeCommand,
  type RegisteredDomain,
  type Rejection,
  type SettledChange,
} from "@hostledger/core";
import { decodeEvent, type CommandHandler, type EventStore, type Position } from "@hostledger/event-store";
import type { Leases } from "@hostledger/leases";
import type { RunContext } from "@hostledger/process-manager";
import { Backoff, KeyedMutex, within, type Clock, type Logger } from "@hostledger/runtime";

import { domainAggregate } from "../aggregates.ts";
import type { DomainQueries, PendingChangeRow } from "../queries/domain.queries.ts";
import { carryOut, type AttemptOutcome, type ChangeParties, type ChangeStep } from "./carry-out.ts";

/** What the driver of changes is made of. */
export interface DomainChangesOptions extends ChangeParties {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queries: DomainQueries;
  /** Says which of several processes has the changes of a domain. Left out where there is one. */
  readonly leases?: Leases;
  /** How long a request waits, for the domain and for its own change. Default 10 s. */
  readonly waitLimitMs?: number;
}

/** A change that a request asks for. */
export interface RequestedChange {
  /** The domain's name. */
  readonly name: string;
  /** The same for every repeat of the request. */
  readonly changeId: string;
  readonly change: DomainChange;
  /** Waits while another change of the domain is under way; otherwise that refuses this one. */
  readonly waits: boolean;
}

/** What a request is answered. */
export type ChangeAnswer =
  /** `position`, where something was recorded all the same, to be read before the refusal is told. */
  | { readonly kind: "refused"; readonly rejection: Rejection; readonly position?: Position }
  /** `settled` is absent where the change asked for what was so already. */
  | {
      readonly kind: "done";
      readonly domain: RegisteredDomain;
      readonly settled: SettledChange | undefined;
      readonly position: Position | undefined;
    };

/** The changes of domains that are under way in this process. */
export interface DomainChanges {
  /** Begins a change and waits for its end; one that is repeated joins its first run, or answers from it. */
  request(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer>;
  /** Takes over changes that a dead owner left: all at once first, then whatever is left without a driver. */
  adopt(signal: AbortSignal): Promise<void>;
  /** Lets every call in hand end, then stops. Unfinished changes go on with the next owner. */
  stop(): Promise<void>;
}

/** How often changes that nobody drives are looked for, and how old they must be: their request has them till then. */
const sweepIntervalMs = 5_000;
const adoptionAgeMs = 10_000;
const sweepLimit = 10_000;

/** Pauses between looks at a change that another process has, in milliseconds. */
const leasePauseMs = 100;

/** Requests that wait for one domain at most, and changes under way at a time. */
const waitingLimit = 100;
const activeLimit = 10_000;

/** Attempts after which the client is told that nobody knows; the change goes on all the same. */
const attemptsInSight = 3;

/**
 * Waits between attempts: doubled up to the longest, and no end to them. A change whose outcome is not known cannot be
 * given up: the facts would say something that the other party may have made untrue. It costs a call a minute.
 */
const attemptBackoff = { firstMs: 300, longestMs: 60_000 };

/** Creates the driver of changes: the intent first, then the call, then what it came to, one change of a domain at a time. */
export function createDomainChanges(options: DomainChangesOptions): DomainChanges {
  return new Driver(options);
}

/** A change that has begun. */
interface PursuedChange {
  readonly name: string;
  readonly changeId: string;
  readonly context: RunContext;
  /** Begun by a process that died: it may have asked the other party already. */
  readonly isTakenOver: boolean;
  /** Aborts when another process may have the changes of the domain from now on. */
  readonly lost: AbortSignal | undefined;
}

/** A domain whose changes are ours to drive. */
interface Held {
  readonly lost: AbortSignal | undefined;
  readonly release: () => void;
}

/** A change that is driven here. `known` tells when it has ended, or which party keeps us waiting. */
interface Pursuit {
  readonly known: Promise<ChangeFailure | undefined>;
  readonly ended: Promise<void>;
}

class Driver implements DomainChanges {
  readonly #options: DomainChangesOptions;
  readonly #waitLimitMs: number;
  readonly #domains: KeyedMutex<string>;
  readonly #pursuits = new Map<string, Pursuit>();
  readonly #stopping = new AbortController();

  constructor(options: DomainChangesOptions) {
    this.#options = options;
    this.#domains = new KeyedMutex({ waiting: waitingLimit, timing: options.clock });
    this.#waitLimitMs = options.waitLimitMs ?? 10_000;
  }

  async request(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer> {
    const { name, changeId, waits } = requested;
    const joined = this.#pursuits.get(changeId);
    if (joined !== undefined) return this.#answer(requested, joined);
    if (this.#pursuits.size >= activeLimit)
      return { kind: "refused", rejection: rejection("overloaded", undefined, { retryAfterSeconds: 1 }) };
    const held = await this.#acquire(name, waits ? this.#waitLimitMs : 0);
    if (held === undefined) return this.#recalled(requested);
    let pursuit: Pursuit | undefined;
    try {
      const before = await this.#load(name);
      const refusal = await this.#begin(requested, before.state.registrationId, context);
      if (refusal !== undefined) return { kind: "refused", rejection: refusal };
      const { state } = await this.#load(name);
      if (state.pendingChange?.changeId !== changeId) return await this.#answer(requested);
      // One that was pending already was begun by a process that died.
      const isTakenOver = before.state.pendingChange?.changeId === changeId;
      pursuit = this.#pursue({ name, changeId, context, isTakenOver, lost: held.lost });
    } finally {
      if (pursuit === undefined) held.release();
      else void pursuit.ended.then(held.release);
    }
    return this.#answer(requested, pursuit);
  }

  async adopt(signal: AbortSignal): Promise<void> {
    await this.#sweep(0, signal);
    while (!isAborted(signal)) {
      await this.#options.clock.sleep(sweepIntervalMs, signal);
      await this.#sweep(adoptionAgeMs, signal);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#pursuits.values()].map(({ ended }) => ended));
  }

  /** Takes the domain: in this process first, then among processes. */
  async #acquire(name: string, limitMs: number): Promise<Held | undefined> {
    const { leases } = this.#options;
    const release = await this.#domains.acquire(name, limitMs);
    if (release === undefined || leases === undefined)
      return release === undefined ? undefined : { lost: undefined, release };
    try {
      for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
        const lease = await leases.tryAcquire(`domain-change-${name}`);
        if (lease !== undefined) {
          const releaseBoth = (): void => {
            void lease.release();
            release();
          };
          return { lost: lease.lost, release: releaseBoth };
        }
        if (waitedMs >= limitMs || isAborted(this.#stopping.signal)) break;
        await this.#options.clock.sleep(leasePauseMs, this.#stopping.signal);
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  /** The domain is taken: a request that is repeated may have its answer, any other one is refused. */
  async #recalled(requested: RequestedChange): Promise<ChangeAnswer> {
    const { changeId } = requested;
    const limitMs = this.#options.leases === undefined ? 0 : this.#waitLimitMs;
    for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
      const { state } = await this.#load(requested.name);
      if (settledChange(state, changeId) !== undefined) return this.#answer(requested);
      // Its first run is under way in another process, which records how it ends.
      const isElsewhere = state.pendingChange?.changeId === changeId;
      if (!isElsewhere || waitedMs >= limitMs || isAborted(this.#stopping.signal)) break;
      await this.#options.clock.sleep(leasePauseMs, this.#stopping.signal);
    }
    return { kind: "refused", rejection: rejection("change-in-flight") };
  }

  async #begin(
    { name, changeId, change }: RequestedChange,
    registrationId: string,
    context: RunContext,
  ): Promise<Rejection | undefined> {
    const { clock, queries } = this.#options;
    const registrationEnded = (await queries.runById(registrationId)) === undefined;
    return this.#execute(
      name,
      { type: "StartDomainChange", data: { changeId, change, registrationEnded, at: clock.now() } },
      context,
    );
  }

  async #answer({ name, changeId, change }: RequestedChange, pursuit?: Pursuit): Promise<ChangeAnswer> {
    const known = pursuit === undefined ? undefined : await this.#withinLimit(pursuit.known);
    const { state: domain, position } = await this.#load(name);
    const settled = settledChange(domain, changeId);
    if (settled?.outcome === "failed") {
      // What the registrar says is about the customer's values; what else fails is our own affair.
      const { code, reason } = settled;
      const told =
        code === "registrar-refused" ? `The registrar did not take the change: ${reason}` : undefined;
      return {
        kind: "refused",
        rejection: rejection(code, told),
        ...(position === undefined ? {} : { position }),
      };
    }
    if (domain.pendingChange?.changeId !== changeId) return { kind: "done", domain, settled, position };
    const code =
      known ??
      (change.kind === "settings" || change.kind === "nameservers"
        ? "registrar-unavailable"
        : "dns-unavailable");
    const message =
      "No answer has come yet. The change goes on in the background until its outcome is known.";
    return { kind: "refused", rejection: rejection(code, message) };
  }

  /** The party that does not answer, once that is clear; undefined when the change ends, or when the time is over. */
  #withinLimit(known: Pursuit["known"]): Promise<ChangeFailure | undefined> {
    return within(this.#waitLimitMs, known, () => undefined, this.#options.clock);
  }

  #pursue(change: PursuedChange): Pursuit {
    const known = Promise.withResolvers<ChangeFailure | undefined>();
    const ended = this.#drive(change, known.resolve).then(() => {
      this.#pursuits.delete(change.changeId);
      known.resolve(undefined);
    });
    const pursuit = { known: known.promise, ended };
    this.#pursuits.set(change.changeId, pursuit);
    return pursuit;
  }

  /** Tries until the outcome is known and recorded, or until the driver stops. Never throws. */
  async #drive(
    { name, changeId, context, isTakenOver, lost }: PursuedChange,
    tell: (code: ChangeFailure | undefined) => void,
  ): Promise<void> {
    const { logger, clock } = this.#options;
    const end = lost === undefined ? this.#stopping.signal : AbortSignal.any([this.#stopping.signal, lost]);
    let isUncertain = isTakenOver;
    const backoff = new Backoff(attemptBackoff, clock);
    for (let attempt = 1; !isAborted(end); attempt += 1) {
      try {
        const outcome = await this.#attempt(name, changeId, { context, isUncertain });
        if (outcome === "over") return;
        if (attempt >= attemptsInSight) tell(outcome.code);
        logger.info(
          { domain: name, changeId, attempt, reason: outcome.reason },
          "a change has no known outcome yet",
        );
      } catch (error) {
        if (attempt >= attemptsInSight) tell(undefined);
        logger.error({ domain: name, changeId, attempt, error }, "an attempt at a change failed");
      }
      // Whatever happened to this attempt, it may have reached the other party.
      isUncertain = true;
      await backoff.pause(end);
    }
  }

  /** @returns `over` when nothing is left to do for the change. */
  async #attempt(
    name: string,
    changeId: string,
    { context, isUncertain }: { readonly context: RunContext; readonly isUncertain: boolean },
  ): Promise<"over" | Extract<AttemptOutcome, { outcome: "unknown" }>> {
    const { clock } = this.#options;
    const { state: domain } = await this.#load(name);
    const { pendingChange } = domain;
    if (pendingChange?.changeId !== changeId) return "over";
    const record = async (step: ChangeStep): Promise<void> => {
      await this.#record(name, commandOf(step, changeId, clock.now()), context);
    };
    const outcome = await carryOut(this.#options, pendingChange.change, { domain, isUncertain, record });
    if (outcome.outcome === "unknown") return outcome;
    const at = clock.now();
    const { outcome: how, ...failure } = outcome;
    await this.#record(
      name,
      how === "done" || !("code" in failure)
        ? { type: "CompleteDomainChange", data: { changeId, at } }
        : { type: "FailDomainChange", data: { changeId, ...failure, at } },
      context,
    );
    return "over";
  }

  /** Records what came of a step. @throws Error when it is refused: a bug, or a busy store. */
  async #record(name: string, command: DomainChangeCommand, context: RunContext): Promise<void> {
    const refusal = await this.#execute(name, command, context);
    if (refusal !== undefined) throw new Error(`${command.type} was refused: ${refusal.message}`);
  }

  async #execute(
    name: string,
    command: DomainChangeCommand,
    context: RunContext,
  ): Promise<Rejection | undefined> {
    const { changeId } = command.data;
    const part = command.type === "RecordChangedSetting" ? `/${command.data.setting}` : "";
    const commandId = `${changeId}/${command.type}${part}`;
    const executed = await this.#options.commands.execute(domainAggregate, name, command, {
      ...context,
      commandId,
    });
    return executed.accepted ? undefined : executed.rejection;
  }

  async #load(name: string): Promise<{ state: RegisteredDomain; position: Position | undefined }> {
    const { state, position } = await this.#options.commands.load(domainAggregate, name);
    if (state.status !== "registered") throw new Error(`the domain ${name} is not registered`);
    return { state: state.domain, position };
  }

  async #sweep(minimumAgeMs: number, signal: AbortSignal): Promise<void> {
    const { clock, queries, logger } = this.#options;
    const bound = clock.epochMilliseconds() - minimumAgeMs;
    for (const row of await queries.unfinishedChanges(sweepLimit)) {
      if (isAborted(signal)) return;
      if (this.#pursuits.has(row.change_id) || Date.parse(row.started_at) > bound) continue;
      const context = await this.#contextOf(row);
      // A domain that is taken is so by this change or by a request that will find it: a later round looks again.
      const held = context === undefined ? undefined : await this.#acquire(row.domain_name, 0);
      if (context === undefined || held === undefined) continue;
      logger.info({ domain: row.domain_name, changeId: row.change_id }, "takes over an unfinished change");
      const { domain_name: name, change_id: changeId } = row;
      void this.#pursue({ name, changeId, context, isTakenOver: true, lost: held.lost }).ended.then(
        held.release,
      );
    }
  }

  /** The request that began a change. */
  async #contextOf({
    domain_name: name,
    change_id: changeId,
  }: PendingChangeRow): Promise<RunContext | undefined> {
    for await (const recorded of this.#options.store.read(`domain-${name}`)) {
      const { event, metadata } = decodeEvent(domainCodec, recorded);
      if (event.type === "DomainChangeStarted" && event.data.changeId === changeId) return metadata;
    }
    return undefined;
  }
}

function commandOf(step: ChangeStep, changeId: string, at: string): DomainChangeCommand {
  return step.type === "RecordChangeZone"
    ? { type: step.type, data: { changeId, records: step.records, at } }
    : { type: step.type, data: { changeId, setting: step.setting, at } };
}

/** A function, since the compiler takes a property that was false before an `await` for false after it. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
