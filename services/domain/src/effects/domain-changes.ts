import {
  decideChange,
  domainAggregate,
  nextOfDomainChange,
  rejection,
  settledChange,
  wantedChange,
  type DomainChange,
  type DomainChangeCommand,
  type DomainChangeEffect,
  type RegisteredDomain,
  type Rejection,
} from "@hostledger/core";
import type { CommandContext, CommandHandler, EventStore } from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import {
  attemptInTrace,
  leasePauseMs,
  requestDailyWorkTicket,
  workKind,
  type AnyWorkKind,
  type Attended,
  type RunContext,
  type WorkEngine,
} from "@hostledger/work";
import { defined, within, type Clock, type Tracing } from "@hostledger/runtime";

import type { DomainQueries } from "../reads/domain.queries.ts";
import { abandonChange, unansweredCode, type Abandoned, type AbandonedChange } from "./abandon-change.ts";
import type { ChangeAnswer } from "./change-answer.ts";
import { carryOut, type ChangeProviders, type ChangeStep } from "./change.effects.ts";
import { contextOfEvent, giveDomain, loadDomain, recordOf } from "./domain-commands.ts";

export interface DomainChangesOptions extends ChangeProviders {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly queries: DomainQueries;
  readonly engine: () => Pick<WorkEngine, "attend" | "exclusively">;
  /** Decides which process may change a domain. Undefined if there is only one process. */
  readonly leases?: Leases;
  /** Tracing of every attempt, if a collector is configured. */
  readonly tracing?: Tracing;
  /** Maximum wait of a request for its domain and for its own change. Default: 10 s. */
  readonly waitLimitMs?: number;
}

export interface RequestedChange extends Pick<CommandContext, "expectedRevision"> {
  readonly name: string;
  /** The same for every repeat of the request. */
  readonly changeId: string;
  readonly change: DomainChange;
  /** Waits while another change of the domain is under way; otherwise that refuses this one. */
  readonly waits: boolean;
  /**
   * Called before the first event of an allowed change; its error refuses the change. Default: every change is
   * admitted.
   */
  readonly admit?: () => Promise<void>;
}

export interface DomainChanges {
  /** The work on changes; its keys are the names of domains. */
  readonly work: AnyWorkKind;
  /** Begins a change and waits for its end; one that is repeated joins its first run, or answers from it. */
  request(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer>;
  /** Does work on a domain after its change here has ended; a change that is asked for meanwhile waits, or is refused. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Ends a change with unknown outcome, on behalf of staff. If the provider carried it out, the comparison finds the
   * difference.
   * @returns position of the end in the log, or the refusal `run-not-found` if no such change is in progress.
   */
  abandon(ended: AbandonedChange, context: RunContext): Promise<Abandoned>;
  /** Ends the waits of requests for changes of other processes. */
  stop(): void;
}

const kind = "domain-change";

/** Failed attempts after which the client is told that the outcome is unknown; the change continues. */
const attemptsInSight = 3;

/** Maximum wait of a request, in milliseconds, until the process that has its domain begins its change. */
const beginningMs = 1_000;

/**
 * Pauses between attempts, without a last attempt. A change with unknown outcome cannot be given up, because the
 * events might contradict the provider. In the end it costs one call an hour.
 */
const retry = { firstMs: 300, longestMs: 3_600_000 };

/**
 * Creates the changes of domains. A change records its intent, calls the provider and records the outcome. A domain
 * has one change at a time.
 */
export function createDomainChanges(options: DomainChangesOptions): DomainChanges {
  const { engine } = options;
  const requests = new ChangeRequests(options);
  return {
    work: changeWork(options),
    request: (requested, context) => requests.answer(requested, context),
    exclusively: (name, work) => engine().exclusively({ kind, key: name }, work),
    abandon: (ended, context) => abandonChange(options, ended, context),
    stop() {
      requests.stop();
    },
  };
}

function changeWork(options: DomainChangesOptions): AnyWorkKind {
  const { clock, commands, registrars, store, tracing } = options;
  return workKind<RegisteredDomain, DomainChangeEffect>({
    name: kind,
    isDesiredState: true,
    async load(name) {
      const { state } = await commands.load(domainAggregate, name);
      return state.status === "registered" ? state.domain : undefined;
    },
    next: nextOfDomainChange,
    effects: {
      "carry-out": {
        retry,
        attemptsInSight,
        async carryOut({ changeId, change }, domain, _, { number, isUncertain, context: begun }) {
          const { name } = domain;
          const context =
            begun ??
            (await contextOfEvent(
              store,
              name,
              ({ type, data }) => type === "DomainChangeStarted" && data.changeId === changeId,
            ));
          const give = (command: DomainChangeCommand, part = ""): Promise<void> =>
            recordOf(commands, name, command, {
              ...context,
              commandId: `${changeId}/${command.type}${part}`,
            });
          const record = (step: ChangeStep): Promise<void> => {
            const at = clock.now();
            return step.type === "RecordChangeZone"
              ? give({ type: step.type, data: { changeId, records: step.records, at } })
              : give({ type: step.type, data: { changeId, setting: step.setting, at } }, `/${step.setting}`);
          };
          const { correlationId } = context;
          const answer = await attemptInTrace({ tracing, kind }, { number, correlationId }, () =>
            carryOut(options, change, { domain, isUncertain, record }),
          );
          if (answer.outcome === "unknown")
            return { outcome: "failed", reason: answer.reason, code: answer.code };
          const at = clock.now();
          if (answer.outcome === "done") await give({ type: "CompleteDomainChange", data: { changeId, at } });
          else {
            const { code, reason } = answer;
            await give({ type: "FailDomainChange", data: { changeId, code, reason, by: "party", at } });
          }
          return { outcome: "done", step: "changed" };
        },
      },
    },
    async tellOfFailures(name, reason, code) {
      const silent = code === "dns-unavailable" ? "dns" : (await registrars.of(name)).name;
      const about = `changes of domains such as ${name}`;
      await requestDailyWorkTicket(
        { ...options, recordedBy: "domain-service" },
        { work: `changes-${silent}`, about },
        reason,
      );
    },
  });
}

/** Handles requests for changes: each request begins a change or follows the change of its earlier copy. */
class ChangeRequests {
  readonly #options: DomainChangesOptions;
  readonly #waitLimitMs: number;
  readonly #stopping = new AbortController();

  constructor(options: DomainChangesOptions) {
    this.#options = options;
    this.#waitLimitMs = options.waitLimitMs ?? 10_000;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async answer(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer> {
    if (this.#options.leases?.hasRoom === false)
      return { kind: "refused", rejection: rejection("overloaded", undefined, { retryAfterSeconds: 1 }) };
    for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
      const answer = await this.#begun(requested, context);
      const isBusy = answer.kind === "refused" && answer.rejection.code === "change-in-flight";
      if (!isBusy || !requested.waits || waitedMs >= this.#waitLimitMs || this.#stopping.signal.aborted)
        return answer;
      await this.#options.clock.sleep(leasePauseMs, this.#stopping.signal);
    }
  }

  /** Begins the change when nobody else works on the domain. */
  async #begun(requested: RequestedChange, context: RunContext): Promise<ChangeAnswer> {
    const { name, changeId, waits } = requested;
    const { clock, engine } = this.#options;
    const limitMs = this.#waitLimitMs;
    const begun = Promise.withResolvers<Rejection | undefined>();
    const attending = engine().attend(
      { kind, key: name },
      {
        limitMs: waits ? limitMs : 0,
        begin: async () => {
          const { domain } = await loadDomain(this.#options.commands, name);
          const refusal = await this.#start(requested, domain, context);
          begun.resolve(refusal);
          if (refusal !== undefined) return undefined;
          // A change that was pending already was begun by a process that died.
          return wantedChange(domain, changeId) === undefined ? { context } : {};
        },
      },
    );
    const isBegun = await Promise.race([begun.promise.then(() => true), attending.then(() => false)]);
    if (!isBegun) return this.#recalled(requested);
    const refusal = await begun.promise;
    if (refusal !== undefined) return { kind: "refused", rejection: refusal };
    return this.#answerOf(requested, await within(limitMs, attending, () => undefined, clock));
  }

  async #start(
    { name, changeId, change, admit, expectedRevision }: RequestedChange,
    domain: RegisteredDomain,
    context: RunContext,
  ): Promise<Rejection | undefined> {
    const { registrationId } = domain;
    const { clock, commands, queries } = this.#options;
    // The registration's run and its delivery no longer call the registrar about the nameservers.
    const registrationEnded =
      (await queries.runById(registrationId)) === undefined &&
      (await queries.openWorkOf(registrationId)) === undefined;
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
    for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
      const { domain } = await loadDomain(commands, name);
      if (settledChange(domain, changeId) !== undefined) return this.#answerOf(requested);
      // An earlier copy of the request is in progress and records its end. Or another process has the domain
      // and has not begun a change yet: its change may be this very request, so a refusal would be wrong.
      const isUnderWay = wantedChange(domain, changeId) !== undefined;
      const isUnbegun = leases !== undefined && domain.pendingChange === null && waitedMs < beginningMs;
      if (!(isUnderWay || isUnbegun) || waitedMs >= this.#waitLimitMs || this.#stopping.signal.aborted) break;
      await clock.sleep(leasePauseMs, this.#stopping.signal);
    }
    return { kind: "refused", rejection: rejection("change-in-flight") };
  }

  async #answerOf({ name, changeId, change }: RequestedChange, attended?: Attended): Promise<ChangeAnswer> {
    const { domain, position } = await loadDomain(this.#options.commands, name);
    const settled = settledChange(domain, changeId);
    if (settled?.outcome === "failed") {
      // A refusal of the registrar concerns the customer's values; every other failure is internal.
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
    const code = (attended?.end === "failed" ? attended.code : undefined) ?? unansweredCode(change);
    const message =
      "No answer has come yet. The change goes on in the background until its outcome is known.";
    return { kind: "refused", rejection: rejection(code, message) };
  }
}
