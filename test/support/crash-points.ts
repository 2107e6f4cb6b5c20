import { appendFileSync } from "node:fs";

import type { EventStore, EventToAppend } from "@hostledger/store";
import type { PartDecorators } from "@hostledger/host";
import type { Dns, Outcome, Registrar, TransferOutcome } from "@hostledger/providers";

/** The watched registration. */
export interface Watch {
  /** The name that is registered. Moments count from the first question about it at the registrar. */
  readonly name: string;
  /** The reservation of the name waits until somebody else was charged. */
  readonly yieldsToOther: boolean;
}

/** Plan of a crashing instance, passed by environment variables. */
export interface CrashPlan extends Watch {
  /** A file that gets one line for each moment as it comes. */
  readonly log: string;
  /** The moment at which the process kills itself, from 1; 0 for none. */
  readonly crashAt: number;
}

const variables = {
  name: "CRASH_NAME",
  log: "CRASH_LOG",
  crashAt: "CRASH_AT",
  yieldsToOther: "CRASH_YIELDS",
} as const;

/** The plan as the environment of a process. */
export function crashEnvironment(plan: CrashPlan): Readonly<Record<string, string>> {
  return {
    [variables.name]: plan.name,
    [variables.log]: plan.log,
    [variables.crashAt]: String(plan.crashAt),
    [variables.yieldsToOther]: String(plan.yieldsToOther),
  };
}

/** The plan in the environment of this process. */
export function readCrashPlan(environment: Readonly<Record<string, string | undefined>>): CrashPlan {
  const read = (variable: string): string => {
    const value = environment[variable];
    if (value === undefined) throw new Error(`${variable} is not set`);
    return value;
  };
  return {
    name: read(variables.name),
    log: read(variables.log),
    crashAt: Number(read(variables.crashAt)),
    yieldsToOther: read(variables.yieldsToOther) === "true",
  };
}

/** Wraps an instance's parts so that moments are written down and the process dies at the chosen one, as by a power cut. */
export function crashDecorators(plan: CrashPlan): PartDecorators {
  let moments = 0;
  return watchingDecorators(plan, (moment) => {
    moments += 1;
    appendFileSync(plan.log, `${moment}\n`);
    // The signal ends all threads before the call returns.
    if (moments === plan.crashAt) process.kill(process.pid, "SIGKILL");
  });
}

/**
 * Wraps an instance's parts so that `onMoment` is called before and after each append and provider call of one
 * registration; the next step waits until it returns.
 */
export function watchingDecorators(watch: Watch, onMoment: (moment: string) => void): PartDecorators {
  const { name } = watch;
  let hasBegun = false;

  function pass(moment: string): void {
    hasBegun = true;
    onMoment(moment);
  }

  async function watched<Answer extends Outcome<unknown> | TransferOutcome>(
    method: string,
    subject: string,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    if (subject !== name) return call();
    pass(`before ${method}`);
    const answer = await call();
    pass(`after ${method}: ${spoken(answer)}`);
    return answer;
  }

  return {
    store: (store) => watchedStore(store, watch, pass, () => hasBegun),
    registrar: (registrar): Registrar => ({
      name: registrar.name,
      check: (subject) => watched("check", subject, () => registrar.check(subject)),
      register: (order) => watched("register", order.name, () => registrar.register(order)),
      renew: (order) => watched("renew", order.name, () => registrar.renew(order)),
      restore: (order) => watched("restore", order.name, () => registrar.restore(order)),
      inquire: (subject, order) => watched("inquire", subject, () => registrar.inquire(subject, order)),
      updateNameservers: (subject, hosts) =>
        watched("updateNameservers", subject, () => registrar.updateNameservers(subject, hosts)),
      updateSettings: (subject, settings) =>
        watched("updateSettings", subject, () => registrar.updateSettings(subject, settings)),
      authCode: (subject) => watched("authCode", subject, () => registrar.authCode(subject)),
      cancel: (subject) => watched("cancel", subject, () => registrar.cancel(subject)),
      transferIn: (order) => watched("transferIn", order.name, () => registrar.transferIn(order)),
      inquireTransfer: (subject, order) =>
        watched("inquireTransfer", subject, () => registrar.inquireTransfer(subject, order)),
      years: registrar.years,
      needsRegistrant: (subject) => registrar.needsRegistrant(subject),
      cancelTransfer: (subject) =>
        watched("cancelTransfer", subject, () => registrar.cancelTransfer(subject)),
    }),
    dns: (dns): Dns => ({
      createZone: (zone) => watched("createZone", zone.name, () => dns.createZone(zone)),
      replaceRecordSets: (zone, sets) =>
        watched("replaceRecordSets", zone, () => dns.replaceRecordSets(zone, sets)),
      inquireZone: (subject) => watched("inquireZone", subject, () => dns.inquireZone(subject)),
      deleteZone: (subject) => watched("deleteZone", subject, () => dns.deleteZone(subject)),
    }),
  };
}

function watchedStore(
  store: EventStore,
  { name, yieldsToOther }: Watch,
  pass: (moment: string) => void,
  hasBegun: () => boolean,
): EventStore {
  const runs = new Set<string>();
  const otherCharged = Promise.withResolvers<undefined>();

  function concernsName(stream: string, events: readonly EventToAppend[]): boolean {
    if (stream === `domain-${name}`) {
      for (const { data } of events) {
        const run: unknown = Reflect.get(Object(JSON.parse(data)), "registrationId");
        if (typeof run === "string") runs.add(run);
      }
      return true;
    }
    if (runs.has(stream)) return true;
    // With two registrations under way, nobody can say for which of them ids are reserved.
    if (stream.startsWith("sequence-")) return !yieldsToOther;
    return (
      stream.startsWith("account-") &&
      events.some(({ data }) => [...runs].some((run) => data.includes(`"${run}"`)))
    );
  }

  return {
    async append(stream, expected, events) {
      if (!hasBegun() || !concernsName(stream, events)) {
        const stored = await store.append(stream, expected, events);
        if (events.some(({ type }) => type.startsWith("BalanceCharged."))) otherCharged.resolve(undefined);
        return stored;
      }
      const types = events.map(({ type }) => type.replace(/\.v\d+$/, "")).join(", ");
      pass(`before append ${types}`);
      if (yieldsToOther && types === "RegistrationReserved") await otherCharged.promise;
      const stored = await store.append(stream, expected, events);
      pass(`after append ${types}`);
      return stored;
    },
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

/** Returns an answer in a word or two, which distinguishes the courses of a registration. */
function spoken(answer: Outcome<unknown> | TransferOutcome): string {
  if (answer.outcome !== "done") return answer.outcome;
  const held: unknown = Reflect.get(Object(answer.value), "held");
  return held === undefined ? "done" : held === true ? "held" : "not held";
}
