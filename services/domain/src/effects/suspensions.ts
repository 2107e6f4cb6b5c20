import {
  domainAggregate,
  type OfflineBy,
  type RegisteredDomain,
  staffTickets,
  wantedOffline,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler, type Position } from "@hostledger/event-store";
import { isAborted, pagesById, type Clock, type Logger } from "@hostledger/runtime";

import type { LifeCycleQueries } from "../reads/life-cycle.queries.ts";
import { dnsAnswer, done, heldBy, registrarAnswer, settle, type Answer } from "./asking.ts";
import type { ChangeProviders } from "./change.effects.ts";
import { provideZone } from "./zone.effects.ts";

/** What keeps suspended domains from resolving is made of. */
export interface SuspensionOptions extends ChangeProviders {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queries: Pick<LifeCycleQueries, "unsettledSuspensions">;
  /** How long is rested between two rounds, in milliseconds. Default 30 s. */
  readonly intervalMs?: number;
}

/**
 * Keeps suspended domains from resolving, and lets those resolve again that are suspended no more. The state is followed, not the
 * command: whatever a provider did not carry out is asked again, and staff hear of what one refuses.
 */
export interface Suspensions {
  /** Asks once. @returns whether the domain resolves no more, and where a fact says so since just now */
  settle(name: string): Promise<Settled>;
  /** Settles all that are open, again and again, until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** What asking came to. */
export interface Settled {
  readonly offline: boolean;
  readonly position?: Position | undefined;
}

const defaultIntervalMs = 30_000;
const pageSize = 200;

/** Creates what keeps suspended domains from resolving. */
export function createSuspensions(options: SuspensionOptions): Suspensions {
  const { clock, commands, logger, queries, intervalMs = defaultIntervalMs } = options;

  async function settleOne(name: string): Promise<Settled> {
    const { state } = await commands.load(domainAggregate, name);
    if (state.status !== "registered") return { offline: false };
    const { domain } = state;
    const wanted = wantedOffline(domain, options.settings.suspendedBy);
    if (wanted === domain.offline) return { offline: domain.offline !== null };
    const answer = wanted === null ? await bringOnline(options, domain) : await take(options, domain, wanted);
    if (answer.outcome !== "done") {
      logger.warn({ domain: name, why: answer.reason }, "a suspension is not carried out yet");
      if (answer.outcome === "refused") {
        const ticket = staffTickets.suspensionRefused(domain, answer.reason, options.clock.now());
        await requestStaffTicket(options, ticket, "domain-service");
      }
      return { offline: domain.offline !== null };
    }
    const correlationId = `suspension-${String(domain.domainId)}`;
    const at = clock.now();
    const executed = await commands.execute(
      domainAggregate,
      name,
      { type: "RecordOffline", data: { offline: wanted, at } },
      { commandId: `${correlationId}/${at}`, correlationId, actor: "process:suspension" },
    );
    return { offline: wanted !== null, ...(executed.accepted && { position: executed.position }) };
  }

  async function settleAll(signal: AbortSignal): Promise<void> {
    const open = pagesById({
      read: (afterId, limit) => queries.unsettledSuspensions(afterId, limit),
      idOf: ({ domain_id: id }) => id,
      size: pageSize,
    });
    for await (const page of open)
      for (const { domain_name: name } of page) {
        if (isAborted(signal)) return;
        try {
          await settleOne(name);
        } catch (error) {
          logger.error({ domain: name, error }, "the suspension of a domain is held up");
        }
      }
  }

  return {
    settle: settleOne,
    async run(signal) {
      while (!isAborted(signal)) {
        await settleAll(signal);
        await clock.sleep(intervalMs, signal);
      }
    },
  };
}

async function take(
  { dns, registrars }: SuspensionOptions,
  { name }: RegisteredDomain,
  by: OfflineBy,
): Promise<Answer> {
  if (by === "registrar") return hold(registrars, name, true);
  return dnsAnswer(await dns.deleteZone(name));
}

async function bringOnline(options: SuspensionOptions, domain: RegisteredDomain): Promise<Answer> {
  if (domain.offline === "registrar") return hold(options.registrars, domain.name, false);
  // Recorded long ago: what was withdrawn is the zone that the books have.
  return provideZone(options, { domain, isUncertain: true, record: () => Promise.resolve() });
}

async function hold(registrars: ChangeProviders["registrars"], name: string, isOn: boolean): Promise<Answer> {
  const registrar = await registrars.of(name);
  const answer = await settle(true, {
    ask: () => registrar.updateSettings(name, { hold: isOn }),
    isSo: heldBy(registrar, name, (held) => held.hold === isOn),
  });
  return answer.outcome === "done" ? done : registrarAnswer(answer);
}
