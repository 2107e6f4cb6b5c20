import {
  type DeleteDomain,
  domain as domainDecider,
  domainAggregate,
  type DomainState,
  type RegisteredDomain,
  staffTickets,
  type WithholdDomain,
  endTermsOf,
  extensionOf,
  priceListAggregate,
  type EndTerms,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler } from "@hostledger/event-store";
import type { Dns, Registrars } from "@hostledger/providers";
import type { Clock, Logger } from "@hostledger/runtime";

/** What the end of a name is made of. */
export interface DomainEndOptions {
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "epochMilliseconds" | "now">;
  readonly logger: Pick<Logger, "warn">;
  readonly registrars: Pick<Registrars, "of">;
  readonly dns: Pick<Dns, "deleteZone">;
}

/** Ends names whose extension's time is over. */
export interface DomainEnds {
  /**
   * The registrar is asked first: what it holds for us is cancelled there, and the books follow once it says that it holds nothing.
   * After the days of grace the name is withheld by its registry; after all its days it is deleted. The zone goes before the name
   * does, so that no zone is left of which no fact tells any more.
   *
   * @returns undefined where nothing is due, or where it was tried a short while ago.
   */
  end(name: string): Promise<"deleted" | "withheld" | "skipped" | undefined>;
}

/** A provider that did not let a name go is asked again an hour later. */
const askAgainAfterMs = 3_600_000;

/** Names that are remembered as held up; with more of them, all are asked about at once. */
const mostHeldUp = 10_000;

/** Creates the end of names. */
export function createDomainEnds(options: DomainEndOptions): DomainEnds {
  const { clock, commands, dns, logger } = options;
  const askAgainAt = new Map<string, number>();

  function holdUp(name: string, why: string): "skipped" {
    logger.warn({ domain: name, why }, "a name that nobody renewed cannot be deleted yet");
    if (askAgainAt.size >= mostHeldUp) askAgainAt.clear();
    askAgainAt.set(name, clock.epochMilliseconds() + askAgainAfterMs);
    return "skipped";
  }

  return {
    async end(name) {
      if ((askAgainAt.get(name) ?? 0) > clock.epochMilliseconds()) return undefined;
      const lifeCycle = await endTermsFor(commands, name);
      const { state } = await commands.load(domainAggregate, name);
      const data = { lifeCycle, at: clock.now() };
      const steps = [
        { type: "DeleteDomain", data },
        { type: "WithholdDomain", data },
      ] as const;
      const command = steps.find((step) => isDue(step, state));
      if (state.status !== "registered" || command === undefined) return undefined;
      const objection = await letGo(options, state.domain);
      if (objection !== undefined) return holdUp(name, objection);
      const isEnd = command.type === "DeleteDomain";
      const zone = isEnd && state.domain.zone !== null ? await dns.deleteZone(name) : undefined;
      if (zone !== undefined && zone.outcome !== "done") return holdUp(name, zone.message);
      const correlationId = `end-${String(state.domain.domainId)}`;
      const executed = await commands.execute(domainAggregate, name, command, {
        commandId: `${correlationId}/${command.type}/${state.domain.expiresAt}`,
        correlationId,
        actor: "process:life-cycle",
      });
      if (!executed.accepted) return "skipped";
      askAgainAt.delete(name);
      return isEnd ? "deleted" : "withheld";
    },
  };
}

/** Whether the command would make a fact now. */
function isDue(command: DeleteDomain | WithholdDomain, state: DomainState): boolean {
  const decision = domainDecider.decide(command, state);
  return decision.accepted && decision.events.length > 0;
}

/** Has the registrar hold the name no longer. @returns why it still may, or undefined. */
async function letGo(options: DomainEndOptions, domain: RegisteredDomain): Promise<string | undefined> {
  const { name, expiresAt } = domain;
  const toStaff = async (why: string): Promise<string> => {
    const ticket = staffTickets.domainNotEnded(domain, why, options.clock.now());
    await requestStaffTicket(options, ticket, "domain-service");
    return why;
  };
  const registrar = await options.registrars.of(name);
  const held = await registrar.inquire(name);
  if (held.outcome !== "done") return held.message;
  if (!held.value.held) return undefined;
  const { isRenewedUnasked = false, isExpiryComputed = false } = held.value.domain;
  // Where the registry tells no date, ours is the only one.
  const until = (isExpiryComputed ? expiresAt : held.value.domain.expiresAt).slice(0, 10);
  // What the registry renewed unasked it takes back with the deletion; what anybody else did is not ours to undo.
  if (until > expiresAt.slice(0, 10) && !isRenewedUnasked)
    return toStaff(`The registrar holds it until ${until}, and nobody has paid for that`);
  const cancelled = await registrar.cancel(name);
  if (cancelled.outcome === "refused" && cancelled.reason === "rejected")
    return toStaff(`The registrar does not cancel it: ${cancelled.message}`);
  const after = await registrar.inquire(name);
  const isGone = after.outcome === "done" && !after.value.held;
  return isGone ? undefined : "The registrar was asked to cancel it, and does not say yet that it has";
}

/** What becomes of a name that nobody renews, as its extension has it now. */
async function endTermsFor(commands: Pick<CommandHandler, "load">, name: string): Promise<EndTerms> {
  const { state } = await commands.load(priceListAggregate, extensionOf(name));
  return endTermsOf(state);
}
