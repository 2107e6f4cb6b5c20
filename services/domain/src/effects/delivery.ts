import {
  isSameNameserverSet,
  domainAggregate,
  glueOf,
  isDeliveryKnown,
  nextOfDomainDelivery,
  type DomainCommand,
  type DomainDelivery,
  type RegisteredDomain,
  type Rejection,
} from "@hostledger/core";
import { recentMs, type CommandHandler, type EventStore } from "@hostledger/store";
import {
  attemptInTrace,
  workKind,
  type AnyWorkKind,
  type Attempt,
  type EffectEnd,
  type RunContext,
  type StaffWord,
  type WorkEngine,
} from "@hostledger/work";
import { type Clock, type Tracing, within } from "@hostledger/runtime";

import type { DomainQueries } from "../reads/domain.queries.ts";
import { delegate, dnsAnswer, done, type Answer } from "./asking.ts";
import type { ChangeProviders } from "./change.effects.ts";
import {
  contextOfEvent,
  giveDomain,
  loadDomain,
  recordOf,
  requestTicketOfSigners,
} from "./domain-commands.ts";
import { delegationOf, provideZone } from "./zone.effects.ts";

export interface DeliveryOptions extends ChangeProviders {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly queries: Pick<DomainQueries, "isRunStopped">;
  readonly engine: () => Pick<WorkEngine, "attend">;
  /** Tracing of every attempt, if a collector is configured. */
  readonly tracing?: Tracing;
  /**
   * Maximum wait of a registration's answer for the delivery. Default: 90 s, longer than three time limits of a
   * silent registrar.
   */
  readonly waitLimitMs?: number;
}

/**
 * Sets up what was promised with a new domain: the customer's nameservers, or the managed zone. The delivery is not
 * part of the paid order: it begins after the registration, and continues until the domain's events show nothing
 * missing.
 */
export interface Delivery {
  /** The work on deliveries; its keys are the names of domains. */
  readonly work: AnyWorkKind;
  /**
   * Begins or joins the delivery of a registered domain.
   * @returns the domain when the customer can be answered (the nameservers are settled, and the zone exists or its
   * first attempt failed), or the domain at the end of the wait.
   */
  bringAbout(name: string, context: RunContext): Promise<RegisteredDomain>;
  /** Gives staff's word on a delivery that waits for it. @returns the refusal `run-not-parked` where it does not wait. */
  interrupt(name: string, word: StaffWord, context: RunContext): Promise<Rejection | undefined>;
}

const kind = "domain-delivery";

/** Pauses between attempts at a delivery, and the number of attempts after which staff get a ticket. */
export const deliverySchedules = {
  /** While the customer waits: briefly. */
  delegation: { limit: 3, firstMs: 300, longestMs: 1_000 },
  /** In the background, for some days. Its ticket is opened at the first failure. */
  zone: { limit: 100, firstMs: 1_000, longestMs: 3_600_000 },
} as const;

/** Pauses between checks of a run that staff stopped while deliveries were part of runs, in milliseconds. */
const stoppedRunMs = 60_000;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { clock, commands, engine, waitLimitMs = 90_000 } = options;
  return {
    work: deliveryWork(options),

    async bringAbout(name, context) {
      const { domain } = await loadDomain(commands, name, recentMs);
      if (isDeliveryKnown(domain)) return domain;
      const begin = () => Promise.resolve({ context });
      const attending = engine().attend({ kind, key: name }, { limitMs: waitLimitMs, begin });
      await within(waitLimitMs, attending, () => undefined, clock);
      return (await loadDomain(commands, name, recentMs)).domain;
    },

    async interrupt(name, word, context) {
      const at = clock.now();
      const { domain } = await loadDomain(commands, name);
      const command: DomainCommand =
        word.type === "retried"
          ? { type: "ResumeDelivery", data: { at } }
          : { type: "AbandonDelivery", data: { reason: word.reason, at } };
      const commandId = `${domain.registrationId}/${command.type}/${at}`;
      const refusal = await giveDomain(commands, name, command, { ...context, commandId });
      // If this attempt is not possible now, a later round makes one.
      if (refusal === undefined)
        engine()
          .attend({ kind, key: name })
          .catch(() => undefined);
      return refusal;
    },
  };
}

function deliveryWork(options: DeliveryOptions): AnyWorkKind {
  const { commands, queries, store, tracing } = options;

  function handlerOf<Effect extends DomainDelivery>(
    type: Effect["type"],
    attemptsInSight: number,
    deliver: (given: DeliveryAttempt, effect: Effect) => Promise<EffectEnd>,
  ) {
    return {
      retry: deliverySchedules[type],
      attemptsInSight,
      async carryOut(effect: Effect, domain: RegisteredDomain, _: AbortSignal, attempt: Attempt) {
        const { name, registrationId } = domain;
        if (attempt.context === undefined && (await queries.isRunStopped(registrationId)))
          return { outcome: "done", step: "waits for its run", againAfterMs: stoppedRunMs } as const;
        const context =
          attempt.context ??
          (await contextOfEvent(store, name, ({ type: began, data }) =>
            began === "RegistrationReserved"
              ? data.registrationId === registrationId
              : began === "TransferReserved" && data.transferId === registrationId,
          ));
        const record = (command: DomainCommand, part = ""): Promise<void> =>
          recordOf(commands, name, command, {
            ...context,
            causationId: registrationId,
            commandId: `${registrationId}/${command.type}${part}`,
          });
        const { correlationId } = context;
        return attemptInTrace({ tracing, kind }, { number: attempt.number, correlationId }, () =>
          deliver({ ...options, domain, attempt, record }, effect),
        );
      },
    };
  }

  return workKind<RegisteredDomain, DomainDelivery>({
    name: kind,
    isDesiredState: true,
    async load(name, maxAgeMs) {
      const { state } = await commands.load(domainAggregate, name, maxAgeMs);
      // A name that left wants nothing any more.
      return state.status === "registered" ? state.domain : undefined;
    },
    next: nextOfDomainDelivery,
    effects: {
      // A zone may come after the answer; the nameservers are settled in three attempts, or wait for staff.
      delegation: handlerOf("delegation", deliverySchedules.delegation.limit, (given, { nameservers }) =>
        deliverNameservers(given, nameservers),
      ),
      zone: handlerOf("zone", 1, deliverZone),
    },
  });
}

/** One attempt at a delivery, and the recording of its outcome. */
interface DeliveryAttempt extends DeliveryOptions {
  readonly domain: RegisteredDomain;
  readonly attempt: Attempt;
  readonly record: (command: DomainCommand, part?: string) => Promise<void>;
}

const recorded = { outcome: "done", step: "delivered" } as const;

async function deliverNameservers(
  given: DeliveryAttempt,
  nameservers: readonly string[],
): Promise<EffectEnd> {
  const { clock, domain, attempt, record, registrars } = given;
  const { name, registrationId } = domain;
  const registrar = await registrars.of(name);
  // A transferred name may still have DS records of keys that sign no zone at our nameservers.
  const wanted = { nameservers, signers: [], glue: glueOf(domain, nameservers) };
  const answer = await delegate(registrar, name, wanted, attempt.isUncertain);
  const at = clock.now();
  if (answer.outcome === "done") {
    const usesServiceNameservers = isSameNameserverSet(nameservers, given.settings.serviceNameservers);
    const data = { registrationId, nameservers, usesServiceNameservers, at };
    await record({ type: "RecordNameserversChanged", data });
    return recorded;
  }
  const { reason } = answer;
  if (answer.outcome === "refused") {
    // The customer of a transfer was answered long ago, and no zone replaces the nameservers, so staff get a
    // ticket.
    if (!domain.usesServiceNameservers)
      return suspend(given, `The registrar does not take the nameservers: ${reason}`);
    const data = { registrationId, requested: nameservers, reason, at };
    await record({ type: "RecordNameserversRefused", data });
    return recorded;
  }
  // Repeating the same delegation is safe and shows the outcome, so the outcome is never guessed.
  const reported = `The registrar does not tell whether it took the nameservers: ${reason}`;
  return openOrSuspended(given, deliverySchedules.delegation.limit, { reason, reported });
}

async function deliverZone(given: DeliveryAttempt): Promise<EffectEnd> {
  const { clock, domain, attempt, record } = given;
  const { registrationId } = domain;
  let handedOver: Answer = done;
  const created = await provideZone(given, {
    domain,
    isUncertain: attempt.isUncertain,
    async record(records) {
      // Before the delivery is over: afterwards nobody would try again.
      handedOver = await handOverSigners(given);
      if (handedOver.outcome === "done")
        await record({ type: "RecordZoneCreated", data: { registrationId, records, at: clock.now() } });
    },
  });
  const answer = created.outcome === "done" ? handedOver : created;
  if (answer.outcome === "done") return recorded;
  const { reason } = answer;
  await record({ type: "RecordZoneFailed", data: { registrationId, reason, at: clock.now() } });
  const reported = `The zone could not be created: ${reason}`;
  return openOrSuspended(given, deliverySchedules.zone.limit, { reason, reported });
}

/**
 * Hands the registrar the signers of a zone that is there. If it refuses them, the name answers unsigned: staff get a ticket, and
 * the comparison with the registrar goes on saying so.
 */
async function handOverSigners(given: DeliveryAttempt): Promise<Answer> {
  const { dns, domain, registrars, attempt } = given;
  const { name, nameservers } = domain;
  const delegation = await delegationOf(dns, domain, { nameservers, isOurs: true });
  if (delegation.outcome !== "done") return dnsAnswer(delegation);
  if ((delegation.value.signers ?? []).length === 0) return done;
  const answer = await delegate(await registrars.of(name), name, delegation.value, attempt.isUncertain);
  if (answer.outcome !== "refused" || answer.code !== "registrar-refused") return answer;
  await requestTicketOfSigners(given, domain, answer.reason);
  return done;
}

async function openOrSuspended(
  given: DeliveryAttempt,
  limit: number,
  { reason, reported }: { readonly reason: string; readonly reported: string },
): Promise<EffectEnd> {
  return given.attempt.number < limit ? { outcome: "failed", reason } : suspend(given, reported);
}

async function suspend({ clock, record }: DeliveryAttempt, reason: string): Promise<EffectEnd> {
  const at = clock.now();
  await record({ type: "SuspendDelivery", data: { reason, at } }, `/${at}`);
  return recorded;
}
