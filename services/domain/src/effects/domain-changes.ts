import {
  decideChange,
  rejection,
  settledChange,
  wantedChange,
  type DomainChange,
  type DomainChangeCommand,
  type PendingChange,
  type RegisteredDomain,
  type Rejection,
} from "@hostledger/core";
import type { CommandContext, CommandHandler, EventStore } from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import {
  createReconciler,
  leasePauseMs,
  type Attempt,
  type AttemptEnd,
  type Effects,
  type Hold,
  type Pursued,
  type Pursuit,
  type Reconciler,
  type RunContext,
} from "@hostledger/work";
import { defined, type Clock, type Logger, type Tracing } from "@hostledger/runtime";

import type { DomainQueries } from "../reads/domain.queries.ts";
import { abandonChange, unansweredCode, type Abandoned } from "./abandon-change.ts";
import type { Unanswered } from "./asking.ts";
import type { ChangeAnswer } from "./change-answer.ts";
import { carryOut, type ChangeProviders, type ChangeStep } from "./change.effects.ts";
import { contextOfFact, giveDomain, loadDomain, recordOf, tellOfWork } from "./domain-commands.ts";

/** What the changes of domains are made of. */
export interface DomainChangesOptions extends ChangeProviders {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queries: DomainQueries;
  /** Says which of several processes has the changes of a domain. Left out where there is one. */
  readonly leases?: Leases;
  /** Where a collector wants to know of every attempt. */
  readonly tracing?: Tracing;
  /** How long a request waits, for its domain and for its own change. Default 10 s. */
  readonly waitLimitMs?: number;
}

/** A change that a request asks for. */
export interface RequestedChange extends Pick<CommandContext, "expectedRevision"> {
  /** The domain's name. */
  readonly name: string;
  /** The same for every repeat of the request. */
  readonly changeId: string;
  readonly change: DomainChange;
  /** Waits while another change of the domain is under way; otherwise that refuses this one. */
  readonly waits: boolean;
  /** Asked before the first fact of a change that the rules take; what it throws is thrown. Default: all are admitted. */
  readonly admit?: () => Promise<void>;
}

/** The changes of domains that are under way in this process. */
export interface DomainChanges {
  /** Begins a change and waits for its end; one that is repeated joins its first run, or answers from it. */
  request(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer>;
  /** Does work on a domain after its change here has ended; a change that is asked for meanwhile waits, or is refused. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Ends a change whose outcome nobody tells, as staff say. What the provider did all the same, the comparison finds.
   * @returns where the end is in the log, or the refusal `run-not-found` where no such change is under way.
   */
  abandon(changeId: string, reason: string, context: RunContext): Promise<Abandoned>;
  /** Takes over changes that a dead owner left: all at once first, then whatever is left without a driver. */
  resumeOrphaned(signal: AbortSignal): Promise<void>;
  /** Lets every call in hand end, then stops. Unfinished changes go on with the next owner. */
  stop(): Promise<void>;
}

/** Attempts after which the client is told that nobody knows; the change goes on all the same. */
const attemptsInSight = 3;

/** How long a request that finds its domain taken by another process waits for that one to begin its change. */
const beginningMs = 1_000;

/**
 * Pauses between attempts, and no end to them. A change whose outcome is not known cannot be given up: the facts would say
 * something that the provider may have made untrue. It costs a call an hour in the end.
 */
const pauses = { firstMs: 300, longestMs: 3_600_000 };

/** Creates the changes of domains: the intent first, then the call, then what it came to, one change of a domain at a time. */
export function createDomainChanges(options: DomainChangesOptions): DomainChanges {
  const { queries, store, clock, logger, leases } = options;
  const reconciler = createReconciler<PendingChange, Unanswered>({
    effects: changeEffects(options),
    clock,
    logger,
    leasePrefix: "domain-change",
    ...defined({ leases, tracing: options.tracing }),
    async orphans(limit) {
      const rows = await queries.unfinishedChanges(limit);
      return rows.map(({ change_id: id, domain_name: resource, started_at: since }) => ({
        id,
        resource,
        since,
        contextOf: () =>
          contextOfFact(
            store,
            resource,
            (event) => event.type === "DomainChangeStarted" && event.data.changeId === id,
          ),
      }));
    },
  });
  const requests = new ChangeRequests(options, reconciler);
  return {
    request: (requested, context) => requests.answer(requested, context),
    exclusively: (name, work) => reconciler.exclusively(name, work),
    abandon: (changeId, reason, context) => abandonChange(options, { changeId, reason }, context),
    resumeOrphaned: (signal) => reconciler.resumeOrphaned(signal),
    async stop() {
      requests.stop();
      await reconciler.stop();
    },
  };
}

/** How a change that is pending is carried out. */
function changeEffects(options: DomainChangesOptions): Effects<PendingChange, Unanswered> {
  const { commands, clock } = options;

  async function attempt(
    { id: changeId, resource: name }: Pursued,
    { change }: PendingChange,
    { isUncertain, context }: Attempt,
  ): Promise<AttemptEnd<Unanswered>> {
    const { domain } = await loadDomain(commands, name);
    const give = (command: DomainChangeCommand, part = ""): Promise<void> =>
      recordOf(commands, name, command, { ...context, commandId: `${changeId}/${command.type}${part}` });
    const record = (step: ChangeStep): Promise<void> => {
      const at = clock.now();
      return step.type === "RecordChangeZone"
        ? give({ type: step.type, data: { changeId, records: step.records, at } })
        : give({ type: step.type, data: { changeId, setting: step.setting, at } }, `/${step.setting}`);
    };
    const answer = await carryOut(options, change, { domain, isUncertain, record });
    const at = clock.now();
    if (answer.outcome === "unknown") return { kind: "open", reason: answer };
    if (answer.outcome === "done") await give({ type: "CompleteDomainChange", data: { changeId, at } });
    else {
      const { code, reason } = answer;
      await give({ type: "FailDomainChange", data: { changeId, code, reason, by: "party", at } });
    }
    return { kind: "recorded" };
  }

  return {
    async wanted({ id, resource }) {
      const { domain } = await loadDomain(commands, resource);
      return wantedChange(domain, id);
    },
    nameOf: ({ changeId }) => changeId,
    attempt,
    attemptsInSight: () => attemptsInSight,
    backoffOf: () => pauses,
    tellStaff: ({ id: work, resource: about }, _change, { reason }) =>
      tellOfWork(options, { work, about }, reason),
  };
}

/** The requests for changes: each begins one, or finds how its first run stands. */
class ChangeRequests {
  readonly #options: DomainChangesOptions;
  readonly #reconciler: Reconciler<Unanswered>;
  readonly #waitLimitMs: number;
  readonly #stopping = new AbortController();

  constructor(options: DomainChangesOptions, reconciler: Reconciler<Unanswered>) {
    this.#options = options;
    this.#reconciler = reconciler;
    this.#waitLimitMs = options.waitLimitMs ?? 10_000;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async answer(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer> {
    const { name, changeId, waits } = requested;
    const reconciler = this.#reconciler;
    const joined = reconciler.pursuitOf(changeId);
    if (joined !== undefined) return this.#answerOf(requested, joined);
    if (!reconciler.hasRoom)
      return { kind: "refused", rejection: rejection("overloaded", undefined, { retryAfterSeconds: 1 }) };
    const hold = await reconciler.acquire(name, waits ? this.#waitLimitMs : 0);
    if (hold === undefined) return this.#recalled(requested);
    const begun = await this.#begin(requested, context, hold);
    return "kind" in begun ? begun : this.#answerOf(requested, begun.pursuit);
  }

  /** Begins the change on a domain that is held; the hold goes to the pursuit, or is released. */
  async #begin(
    requested: RequestedChange,
    context: RunContext,
    hold: Hold,
  ): Promise<ChangeAnswer | { readonly pursuit: Pursuit<Unanswered> | undefined }> {
    const { name, changeId } = requested;
    const { commands } = this.#options;
    let pursuit: Pursuit<Unanswered> | undefined;
    try {
      const before = await loadDomain(commands, name);
      const refusal = await this.#start(requested, before.domain, context);
      if (refusal !== undefined) return { kind: "refused", rejection: refusal };
      const { domain } = await loadDomain(commands, name);
      if (wantedChange(domain, changeId) === undefined) return { pursuit };
      // One that was pending already was begun by a process that died.
      const isTakenOver = wantedChange(before.domain, changeId) !== undefined;
      pursuit = this.#reconciler.pursue({ id: changeId, resource: name }, { context, isTakenOver, hold });
      return { pursuit };
    } finally {
      if (pursuit === undefined) hold.release();
    }
  }

  async #start(
    { name, changeId, change, admit, expectedRevision }: RequestedChange,
    domain: RegisteredDomain,
    context: RunContext,
  ): Promise<Rejection | undefined> {
    const { registrationId } = domain;
    const { clock, commands, queries } = this.#options;
    // Nobody asks the registrar for the nameservers of the registration any more, neither its run nor its delivery.
    const registrationEnded =
      (await queries.runById(registrationId)) === undefined &&
      (await queries.openDeliveryOf(registrationId)) === undefined;
    const data = { changeId, change, registrationEnded, at: clock.now() };
    const command = { type: "StartDomainChange", data } as const;
    const decision = decideChange(command, domain);
    if (decision.accepted && decision.events.length > 0) await admit?.();
    const given = {
      ...context,
      ...defined({ expectedRevision }),
      commandId: `${changeId}/StartDomainChange`,
    };
    return giveDomain(commands, name, command, given);
  }

  /** The domain is busy: a request that is repeated may have its answer, any other one is refused. */
  async #recalled(requested: RequestedChange): Promise<ChangeAnswer> {
    const { changeId, name } = requested;
    const { clock, commands, leases } = this.#options;
    const limitMs = leases === undefined ? 0 : this.#waitLimitMs;
    for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
      const { domain } = await loadDomain(commands, name);
      if (settledChange(domain, changeId) !== undefined) return this.#answerOf(requested);
      // Its first run is under way in another process, which records how it ends; or whoever has the domain there has begun
      // nothing yet: then nobody can tell whether it is this very request, and a refusal would be an answer of its own.
      const isElsewhere = wantedChange(domain, changeId) !== undefined;
      const isUnbegun = domain.pendingChange === null && waitedMs < beginningMs;
      if (!(isElsewhere || isUnbegun) || waitedMs >= limitMs || this.#stopping.signal.aborted) break;
      await clock.sleep(leasePauseMs, this.#stopping.signal);
    }
    return { kind: "refused", rejection: rejection("change-in-flight") };
  }

  async #answerOf(
    { name, changeId, change }: RequestedChange,
    pursuit?: Pursuit<Unanswered>,
  ): Promise<ChangeAnswer> {
    const known =
      pursuit === undefined ? undefined : await this.#reconciler.within(pursuit, this.#waitLimitMs);
    const { domain, position } = await loadDomain(this.#options.commands, name);
    const settled = settledChange(domain, changeId);
    if (settled?.outcome === "failed") {
      // What the registrar says is about the customer's values; what else fails is our own affair.
      const { code, reason } = settled;
      const reported =
        code === "registrar-refused" ? `The registrar refused the change: ${reason}` : undefined;
      return {
        kind: "refused",
        rejection: rejection(code, reported),
        ...defined({ position }),
      };
    }
    if (wantedChange(domain, changeId) === undefined) return { kind: "done", domain, settled, position };
    const code = known?.code ?? unansweredCode(change);
    const message =
      "No answer has come yet. The change goes on in the background until its outcome is known.";
    return { kind: "refused", rejection: rejection(code, message) };
  }
}
