import {
  domainAggregate,
  domainCodec,
  staffTickets,
  type DomainCommand,
  type RegisteredDomain,
  type Rejection,
} from "@hostledger/core";
import {
  eventsOf,
  requestStaffTicket,
  type CommandContext,
  type CommandHandler,
  type EventStore,
  type Position,
  type StaffTicketOptions,
} from "@hostledger/store";
import type { RunContext } from "@hostledger/work";

/** A registered domain as its events say, and where the last of them is in the log. */
export interface LoadedDomain {
  readonly domain: RegisteredDomain;
  readonly position: Position | undefined;
}

/**
 * @param maxAgeMs a state of so many milliseconds ago will do, where the name was registered then.
 * @throws Error where the name is not registered: nobody asks for effects on one that is not.
 */
export async function loadDomain(
  commands: CommandHandler,
  name: string,
  maxAgeMs = 0,
): Promise<LoadedDomain> {
  const recent = await commands.load(domainAggregate, name, maxAgeMs);
  const isHere = maxAgeMs === 0 || recent.state.status === "registered";
  const { state, position } = isHere ? recent : await commands.load(domainAggregate, name);
  if (state.status !== "registered") throw new Error(`the domain ${name} is not registered`);
  return { domain: state.domain, position };
}

/** Gives a domain a command under an id that is the same for every repeat. @returns its refusal, if it is refused. */
export async function giveDomain(
  commands: CommandHandler,
  name: string,
  command: DomainCommand,
  context: RunContext & Pick<CommandContext, "commandId" | "causationId" | "expectedRevision">,
): Promise<Rejection | undefined> {
  const executed = await commands.execute(domainAggregate, name, command, context);
  return executed.accepted ? undefined : executed.rejection;
}

/**
 * Executes a command that records the outcome of an effect.
 * @throws Error refused, which is a bug or a busy store.
 */
export async function recordOf(
  commands: CommandHandler,
  name: string,
  command: DomainCommand,
  context: RunContext & { readonly commandId: string; readonly causationId?: string },
): Promise<void> {
  const refusal = await giveDomain(commands, name, command, context);
  if (refusal !== undefined) throw new Error(`${command.type} was refused: ${refusal.message}`);
}

/** For whom a name's stream says that something began. @throws Error where no such event is in it */
export async function contextOfEvent(
  store: EventStore,
  name: string,
  began: (event: ReturnType<typeof domainCodec.decode>) => boolean,
): Promise<RunContext> {
  for await (const { event, metadata } of eventsOf(store, `domain-${name}`, domainCodec))
    if (began(event)) return metadata;
  throw new Error(`no event of the domain ${name} says for whom the work began`);
}

/** Has staff look at DS records that a registry refused. */
export function requestTicketOfSigners(
  options: StaffTicketOptions,
  domain: RegisteredDomain,
  why: string,
): Promise<void> {
  const ticket = staffTickets.signersRefused(domain, why, options.clock.now());
  return requestStaffTicket(options, ticket, "domain-service");
}
