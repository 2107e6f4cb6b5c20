import {
  isSameNameserverSet,
  assertNever,
  domainAggregate,
  glueOf,
  isDeliveryKnown,
  nextDelivery,
  type DomainCommand,
  type DomainDelivery,
  type RegisteredDomain,
  type Rejection,
} from "@hostledger/core";
import { recentMs, type CommandHandler, type EventStore } from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import {
  createReconciler,
  leasePauseMs,
  type Attempt,
  type AttemptEnd,
  type Effects,
  type Pursued,
  type Reconciler,
  type RunContext,
} from "@hostledger/work";
import { type Clock, defined, type Logger, type Tracing } from "@hostledger/runtime";

import type { DomainQueries } from "../reads/domain.queries.ts";
import { delegate, dnsAnswer, done, type Answer } from "./asking.ts";
import type { ChangeProviders } from "./change.effects.ts";
import { claimOf, type DeliveryClaim } from "./delivery-claim.ts";
import { contextOfFact, giveDomain, loadDomain, recordOf, tellOfSigners } from "./domain-commands.ts";
import { delegationOf, provideZone } from "./zone.effects.ts";

/** What deliveries are made of. */
export interface DeliveryOptions extends ChangeProviders {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queries: Pick<DomainQueries, "unfinishedDeliveries">;
  /** Says which of several processes has a delivery. Left out where there is one. */
  readonly leases?: Leases;
  /** Where a collector wants to know of every attempt. */
  readonly tracing?: Tracing;
  /** How long a registration's answer waits for the delivery. Default 90 s: longer than a silent registrar's three limits. */
  readonly waitLimitMs?: number;
}

/** What staff says to a delivery that waits for it. */
export type DeliveryWord =
  | { readonly type: "retried" }
  | { readonly type: "abandoned"; readonly reason: string };

/**
 * Gives new domains what was promised with them: the customer's nameservers, or the managed zone. It is no part of what
 * they were paid for: it begins when the domain is registered, and goes on until the domain's own facts want nothing more.
 */
export interface Delivery {
  /** For whoever registers the name here: nobody can have begun a delivery that is kept from before it could begin. */
  claimOf(name: string): DeliveryClaim;
  /**
   * Begins the delivery of a registered domain, or joins it.
   * @param claim that was taken, if one was, before the name was registered.
   * @returns the domain as it is as soon as the customer can be told (the nameservers are settled; the zone is there, or
   * its first attempt failed), or as it is when waiting is over.
   */
  bringAbout(name: string, context: RunContext, claim?: DeliveryClaim): Promise<RegisteredDomain>;
  /** Gives staff's word on a delivery that waits for it. @returns the refusal `run-not-parked` where it does not wait. */
  interrupt(name: string, word: DeliveryWord, context: RunContext): Promise<Rejection | undefined>;
  /** Takes over what a dead owner left, until the signal aborts. */
  resumeOrphaned(signal: AbortSignal): Promise<void>;
  /** Lets every call in hand end, then stops. Unfinished deliveries go on with the next owner. */
  stop(): Promise<void>;
}

/** When a delivery is tried again, and after how many attempts staff must look. */
export const deliverySchedules = {
  /** While the customer waits: briefly. */
  delegation: { limit: 3, firstMs: 300, longestMs: 1_000 },
  /** In the background, for some days. Its ticket is opened at the first failure. */
  zone: { limit: 100, firstMs: 1_000, longestMs: 3_600_000 },
} as const;

/** Creates the deliveries. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { clock, commands, logger, leases, queries, store, waitLimitMs = 90_000 } = options;
  const stopping = new AbortController();
  const reconciler: Reconciler<string> = createReconciler<DomainDelivery, string>({
    effects: deliveryEffects(options),
    clock,
    logger,
    leasePrefix: "domain-delivery",
    ...defined({ leases, tracing: options.tracing }),
    async orphans(limit) {
      const rows = await queries.unfinishedDeliveries(limit);
      return rows.map(({ domain_name: name, run, started_at: since }) => ({
        id: name,
        resource: name,
        since,
        contextOf: () =>
          contextOfFact(
            store,
            name,
            ({ type, data }) =>
              (type === "RegistrationReserved" && data.registrationId === run) ||
              (type === "TransferReserved" && data.transferId === run),
          ),
      }));
    },
  });

  /** @returns what is driven here, or undefined where another process has the delivery. */
  async function begin(name: string, context: RunContext, claim?: DeliveryClaim) {
    const joined = reconciler.pursuitOf(name);
    if (joined !== undefined) return joined;
    const claimed = await claim?.held();
    const hold = claimed ?? (await reconciler.acquire(name, 0));
    if (hold === undefined) return reconciler.pursuitOf(name);
    const isSeen = claimed?.lost?.aborted === false;
    return reconciler.pursue({ id: name, resource: name }, { context, isTakenOver: false, hold, isSeen });
  }

  return {
    claimOf: (name) => claimOf(reconciler, name),

    async bringAbout(name, context, claim) {
      const { domain } = await loadDomain(commands, name, recentMs);
      if (isDeliveryKnown(domain)) return domain;
      const pursuit = await begin(name, context, claim);
      if (pursuit !== undefined) await reconciler.within(pursuit, waitLimitMs);
      for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
        // What was done here is known here; what another process does is read.
        const now = await loadDomain(commands, name, pursuit === undefined ? 0 : recentMs);
        const isOver = pursuit !== undefined || waitedMs >= waitLimitMs || stopping.signal.aborted;
        if (isOver || isDeliveryKnown(now.domain)) return now.domain;
        await clock.sleep(leasePauseMs, stopping.signal);
      }
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
      if (refusal === undefined && word.type === "retried") await begin(name, context);
      return refusal;
    },

    resumeOrphaned: (signal) => reconciler.resumeOrphaned(signal),

    async stop() {
      stopping.abort();
      await reconciler.stop();
    },
  };
}

/** How a new domain is given what it lacks. */
function deliveryEffects(options: DeliveryOptions): Effects<DomainDelivery, string> {
  const { commands } = options;

  async function attempt(
    { resource: name }: Pursued,
    wanted: DomainDelivery,
    attempt: Attempt,
  ): Promise<AttemptEnd<string>> {
    // What is wanted was found in this very state.
    const { domain } = await loadDomain(commands, name, recentMs);
    const { registrationId } = domain;
    const record = (command: DomainCommand, part = ""): Promise<void> =>
      recordOf(commands, name, command, {
        ...attempt.context,
        causationId: registrationId,
        commandId: `${registrationId}/${command.type}${part}`,
      });
    const given = { ...options, domain, attempt, record };
    switch (wanted.kind) {
      case "delegation":
        return deliverNameservers(given, wanted.nameservers);
      case "zone":
        return deliverZone(given);
      default:
        return assertNever(wanted);
    }
  }

  return {
    async wanted({ resource }, maxAgeMs) {
      const { state } = await commands.load(domainAggregate, resource, maxAgeMs);
      // A name that left wants nothing any more.
      return state.status === "registered" ? nextDelivery(state.domain) : undefined;
    },
    nameOf: ({ kind }) => kind,
    attempt,
    // A zone may come after the answer; the nameservers are settled in three attempts, or wait for staff.
    attemptsInSight: ({ kind }) => (kind === "zone" ? 1 : deliverySchedules.delegation.limit),
    backoffOf: (wanted) => deliverySchedules[wanted?.kind ?? "zone"],
  };
}

/** One attempt at a delivery, and what records its outcome. */
interface DeliveryAttempt extends DeliveryOptions {
  readonly domain: RegisteredDomain;
  readonly attempt: Attempt;
  readonly record: (command: DomainCommand, part?: string) => Promise<void>;
}

async function deliverNameservers(
  given: DeliveryAttempt,
  nameservers: readonly string[],
): Promise<AttemptEnd<string>> {
  const { clock, domain, attempt, record, registrars } = given;
  const { name, registrationId } = domain;
  const registrar = await registrars.of(name);
  // A name that was transferred may have brought signers along, whose keys nobody answers with there.
  const wanted = { nameservers, signers: [], glue: glueOf(domain, nameservers) };
  const answer = await delegate(registrar, name, wanted, attempt.isUncertain);
  const at = clock.now();
  if (answer.outcome === "done") {
    const usesServiceNameservers = isSameNameserverSet(nameservers, given.settings.serviceNameservers);
    const data = { registrationId, nameservers, usesServiceNameservers, at };
    await record({ type: "RecordNameserversChanged", data });
    return { kind: "recorded" };
  }
  const { reason } = answer;
  if (answer.outcome === "refused") {
    // Whoever ordered a transfer was answered long ago, and no zone takes the place of the nameservers: staff looks.
    if (!domain.usesServiceNameservers)
      return suspend(given, `The registrar does not take the nameservers: ${reason}`);
    const data = { registrationId, requested: nameservers, reason, at };
    await record({ type: "RecordNameserversRefused", data });
    return { kind: "recorded" };
  }
  // Asking again is asking what happened: the same delegation twice is one. What it did is never guessed.
  const reported = `The registrar does not tell whether it took the nameservers: ${reason}`;
  return openOrSuspended(given, deliverySchedules.delegation.limit, { reason, reported });
}

async function deliverZone(given: DeliveryAttempt): Promise<AttemptEnd<string>> {
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
  if (answer.outcome === "done") return { kind: "recorded" };
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
  await tellOfSigners(given, domain, answer.reason);
  return done;
}

async function openOrSuspended(
  given: DeliveryAttempt,
  limit: number,
  { reason, reported }: { readonly reason: string; readonly reported: string },
): Promise<AttemptEnd<string>> {
  return given.attempt.number < limit ? { kind: "open", reason } : suspend(given, reported);
}

async function suspend({ clock, record }: DeliveryAttempt, reason: string): Promise<AttemptEnd<string>> {
  const at = clock.now();
  await record({ type: "SuspendDelivery", data: { reason, at } }, `/${at}`);
  return { kind: "recorded" };
}
