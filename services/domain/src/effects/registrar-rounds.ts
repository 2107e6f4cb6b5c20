import { domainAggregate, isToBeHeld, staffTickets } from "@hostledger/core";
import { requestStaffTicket, unlessUnreadable, type CommandHandler } from "@hostledger/store";
import { workKind, type AnyWorkKind } from "@hostledger/work";
import type { Registrars } from "@hostledger/providers";
import { pagesById, type Clock, type Ids, type Logger } from "@hostledger/runtime";

import type { HeldDomain, HoldingQueries } from "../reads/holding.queries.ts";

export interface RegistrarRoundsOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "uuid">;
  readonly logger: Logger;
  readonly registrars: Pick<Registrars, "of">;
  readonly queries: HoldingQueries;
  /** Maximum questions to the registrar per minute; 0 asks none. */
  readonly checksPerMinute: number;
  /** Pause before a registrar that says "I hold nothing" is asked again, in milliseconds. */
  readonly quietMs: number;
}

/** Result of one round, in numbers of domains. */
export interface RegistrarRound {
  readonly asked: number;
  /** Domains about which the registrar did not answer. */
  readonly untold: number;
  /** Domains that the registrar denied twice to hold. */
  readonly missed: number;
}

/**
 * Asks the registrar in endless rounds, at a set pace, whether it still holds every active domain, so that staff
 * learn of a lost domain before its customer. A domain in transfer to another registrar ends when it is gone, also
 * if no poll message reports that.
 */
export interface RegistrarRounds {
  /** Asks about every domain once. */
  runRound(signal?: AbortSignal): Promise<RegistrarRound>;
  /** The rounds as work; none if no registrar is to be asked. */
  readonly work: readonly AnyWorkKind[];
}

/** Domains read at a time; those of them that are missing are asked about again together. */
const pageSize = 100;

/** Delay of the first round after a start, and minimum interval between rounds, in milliseconds. */
const firstRoundMs = 60_000;
const leastRoundMs = 3_600_000;

/** Creates the rounds. What the registrar must hold, the domain's own stream says: a read model that lags does no harm. */
export function createRegistrarRounds(options: RegistrarRoundsOptions): RegistrarRounds {
  const { clock, ids, logger, queries, registrars, checksPerMinute, quietMs } = options;
  const pauseMs = 60_000 / Math.max(1, checksPerMinute);

  async function isHeld(name: string, signal: AbortSignal): Promise<boolean | undefined> {
    await clock.sleep(pauseMs, signal);
    if (signal.aborted) return undefined;
    const registrar = await registrars.of(name);
    const answer = await registrar.inquire(name);
    return answer.outcome === "done" ? answer.value.held : undefined;
  }

  /** @param missed handles a domain that the registrar denied twice to hold; returns true if staff must know. */
  async function askAbout(
    page: readonly HeldDomain[],
    missed: Missed,
    signal: AbortSignal,
  ): Promise<RegistrarRound> {
    const count = { asked: page.length, untold: 0, missed: 0 };
    const suspects: HeldDomain[] = [];
    for (const domain of page) {
      const held = await isHeld(domain.domain_name, signal);
      if (held === undefined) count.untold += 1;
      else if (!held) suspects.push(domain);
    }
    if (suspects.length > 0) await clock.sleep(quietMs, signal);
    for (const domain of suspects) {
      const held = await isHeld(domain.domain_name, signal);
      if (held === false && (await missed(options, domain))) count.missed += 1;
    }
    return count;
  }

  async function runRound(signal = new AbortController().signal): Promise<RegistrarRound> {
    const total = { asked: 0, untold: 0, missed: 0 };
    const add = (count: RegistrarRound): void => {
      total.asked += count.asked;
      total.untold += count.untold;
      total.missed += count.missed;
    };
    for await (const page of leavingPages(queries)) {
      if (signal.aborted) return total;
      add(await askAbout(page, readably(recordDeparture), signal));
    }
    for await (const page of pagesFromAnywhere(queries, ids)) {
      if (signal.aborted) break;
      add(await askAbout(page, readably(requestTicket), signal));
    }
    return total;
  }

  const work = workKind<string, { readonly type: "ask" }>({
    name: "registrar-rounds",
    begins: { keys: ["all"], afterMs: firstRoundMs },
    load: (key) => Promise.resolve(key),
    next: () => ({ do: { type: "ask" } }),
    effects: {
      ask: {
        retry: { firstMs: 60_000, longestMs: leastRoundMs },
        async carryOut(_effect, _state, signal) {
          const round = await runRound(signal);
          if (round.untold + round.missed > 0)
            logger.info(round, "asked the registrar which domains it holds");
          return { outcome: "done", step: "registrar asked", againAfterMs: leastRoundMs };
        },
      },
    },
  });
  return { runRound, work: checksPerMinute === 0 ? [] : [work] };
}

/** Handles a domain that its registrar does not hold. @returns true if staff must know. */
type Missed = (options: RegistrarRoundsOptions, domain: HeldDomain) => Promise<boolean>;

/** Skips a name whose events cannot be read, so that it delays no other name. */
function readably(missed: Missed): Missed {
  return (options, domain) =>
    unlessUnreadable(
      () => missed(options, domain),
      (error) => {
        options.logger.error(
          { domain: domain.domain_name, error },
          "a domain is held up by an event that cannot be read",
        );
        return false;
      },
    );
}

/** @returns false where the domain's own events do not say that the registrar must hold it now. */
async function requestTicket(
  { commands, clock, logger }: RegistrarRoundsOptions,
  { domain_name: name }: HeldDomain,
): Promise<boolean> {
  const { state } = await commands.load(domainAggregate, name);
  if (state.status !== "registered" || !isToBeHeld(state.domain)) return false;
  logger.warn({ domain: name }, "the registrar does not hold a domain");
  const ticket = staffTickets.domainNotHeld(state.domain, clock.now());
  await requestStaffTicket({ commands, clock }, ticket, "domain-service");
  return true;
}

async function recordDeparture(
  { commands, clock, ids, registrars }: RegistrarRoundsOptions,
  { domain_name: name, domain_id: domainId }: HeldDomain,
): Promise<false> {
  const { name: registrar } = await registrars.of(name);
  const correlationId = `departure-${String(domainId)}`;
  const data = { registrar, messageId: null, at: clock.now() };
  await commands.execute(
    domainAggregate,
    name,
    { type: "RecordTransferredAway", data },
    { commandId: `${correlationId}/${ids.uuid()}`, correlationId, actor: "process:registry" },
  );
  return false;
}

/** A round takes days where there are many domains, and a restart begins it anew: from anywhere, so that none is always last. */
async function* pagesFromAnywhere(
  queries: HoldingQueries,
  ids: Pick<Ids, "uuid">,
): AsyncGenerator<readonly HeldDomain[]> {
  const last = await queries.lastDomainId();
  const start = Number.parseInt(ids.uuid().slice(0, 8), 16) % (last + 1);
  yield* pages(queries, start, Infinity);
  yield* pages(queries, 0, start);
}

/** Reads pages of the domains whose ids are greater than `after` and at most `last`. */
async function* pages(
  queries: HoldingQueries,
  after: number,
  last: number,
): AsyncGenerator<readonly HeldDomain[]> {
  const read = (afterId: number, limit: number) => queries.heldAfter(afterId, limit);
  for await (const page of pagesById({ read, idOf: ({ domain_id: id }) => id, size: pageSize, after })) {
    const wanted = page.filter(({ domain_id: id }) => id <= last);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < page.length) return;
  }
}

/** Pages of the domains that staff have on their way elsewhere. */
function leavingPages(queries: HoldingQueries): AsyncGenerator<readonly HeldDomain[]> {
  const read = (afterId: number, limit: number) => queries.leavingAfter(afterId, limit);
  return pagesById({ read, idOf: ({ domain_id: id }) => id, size: pageSize });
}
