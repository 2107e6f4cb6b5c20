import { domainAggregate, isToBeHeld, staffTickets } from "@hostledger/core";
import { requestStaffTicket, unlessUnreadable, type CommandHandler } from "@hostledger/store";
import { workKind, type AnyWorkKind } from "@hostledger/work";
import type { Registrars } from "@hostledger/providers";
import { pagesById, type Clock, type Ids, type Logger } from "@hostledger/runtime";

import type { HeldDomain, HoldingQueries } from "../reads/holding.queries.ts";

/** What the rounds are made of. */
export interface RegistrarRoundsOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "uuid">;
  readonly logger: Logger;
  readonly registrars: Pick<Registrars, "of">;
  readonly queries: HoldingQueries;
  /** So many questions a minute the registrar is asked; 0 asks none. */
  readonly checksPerMinute: number;
  /** How long a registrar that says "I hold nothing" is given before it is asked again, in milliseconds. */
  readonly quietMs: number;
}

/** What one round came to, in numbers of domains. */
export interface RegistrarRound {
  readonly asked: number;
  /** The registrar did not tell. */
  readonly untold: number;
  /** It said twice that it does not hold them. */
  readonly missed: number;
}

/**
 * Asks the registrar, round and round and at a set pace, whether it still holds every domain that is in force: so that staff know
 * of one that it has lost before its customer does. One that is on its way to another registrar ends once it is gone, also where no
 * message of the registry tells of it.
 */
export interface RegistrarRounds {
  /** Asks about every domain once. */
  runRound(signal?: AbortSignal): Promise<RegistrarRound>;
  /** The rounds as work; none if no registrar is to be asked. */
  readonly work: readonly AnyWorkKind[];
}

/** Domains read at a time; those of them that are missing are asked about again together. */
const pageSize = 100;

/** How long after a start the first round begins, and how often one begins at most, in milliseconds. */
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

  /** @param missed what is done about one that the registrar said twice not to hold; it tells whether staff must know. */
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

/** What is done about a domain that its registrar does not hold. @returns whether staff must know. */
type Missed = (options: RegistrarRoundsOptions, domain: HeldDomain) => Promise<boolean>;

/** A name whose events cannot be read keeps no other one waiting. */
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

/** What was on its way to another registrar has arrived there. */
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

/** Pages of the domains whose ids are greater than `after` and not greater than `last`. */
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
