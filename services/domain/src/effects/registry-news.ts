import {
  assertNever,
  domainAggregate,
  type DomainRegistryCommand,
  type DomainState,
  holderOf,
  registryMessageId,
  type RejectionCode,
  staffTickets,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler } from "@hostledger/store";
import type { Registrar, RegistryMessage } from "@hostledger/providers";
import type { Clock, Logger } from "@hostledger/runtime";

import type { DomainDrift } from "./domain-drift.ts";
import type { Registrations, RenewalRuns, TransferRuns } from "./domain-runs.ts";

export interface MessageActionOptions {
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Registrar that sent the message. */
  readonly registrar: Registrar;
  readonly drift: Pick<DomainDrift, "compareName">;
  readonly registrations: Pick<Registrations, "hasten">;
  readonly renewalRuns: Pick<RenewalRuns, "hasten">;
  readonly transferRuns: Pick<TransferRuns, "hasten">;
}

/** A message about a name. */
type NamedMessage = RegistryMessage & { readonly name: string };

const recordedBy = "domain-service";

/**
 * Carries out the consequences of a message. A message may be old, so the registrar is asked for the present state.
 * @returns false if the state is unknown or other work on the name comes first; the message is then tried again.
 */
export async function actOnMessage(options: MessageActionOptions, message: NamedMessage): Promise<boolean> {
  const { about, name } = message;
  const { state, revision } = await options.commands.load(domainAggregate, name);
  const compared = async () =>
    (await options.drift.compareName(name, options.registrar)).unanswered.length === 0;
  if (revision === undefined) {
    await requestTicketOfStranger(options, message);
    return compared();
  }
  // A registrar says nothing valid about a name that another registrar of ours holds.
  const provider = holderOf(state)?.provider ?? options.registrar.name;
  if (provider !== options.registrar.name) return compared();
  // Orders that wait for the registry's decision on this name ask now.
  hasten(options, state);
  switch (about) {
    case "order":
    case "transfer-to-us":
    case "transfer-requested":
    case "transfer-kept":
      return true;
    case "transferred-away":
    case "name":
    case "other":
      return follow(options, message);
    default:
      return assertNever(about);
  }
}

function hasten(
  { registrations, renewalRuns, transferRuns }: MessageActionOptions,
  state: DomainState,
): void {
  const run = holderOf(state)?.registrationId;
  if (run === undefined) return;
  registrations.hasten(run);
  transferRuns.hasten(run);
  if (state.status === "registered" && state.domain.renewal !== null)
    renewalRuns.hasten(state.domain.renewal.renewalId);
}

async function follow(options: MessageActionOptions, message: NamedMessage): Promise<boolean> {
  const { commands, drift, logger, registrar } = options;
  const { about, name, registrar: from, id: messageId } = message;
  const held = await registrar.inquire(name);
  if (held.outcome !== "done") return false;
  const said = { registrar: from, messageId, at: options.clock.now() };
  if (about === "transferred-away" && !held.value.held)
    return give(options, message, { type: "RecordTransferredAway", data: said });
  const { state } = await commands.load(domainAggregate, name);
  const isReported = held.value.held && held.value.domain.isExpiryComputed !== true;
  if (held.value.held && isReported && state.status === "registered" && !state.domain.expired) {
    const { expiresAt } = held.value.domain;
    const isFollowed = await give(options, message, { type: "FollowExpiry", data: { ...said, expiresAt } });
    if (!isFollowed) return false;
  }
  const { differences, unanswered } = await drift.compareName(name, registrar);
  if (differences.length > 0) logger.warn({ domain: name, differences }, "a registry changed a name");
  return unanswered.length === 0;
}

/**
 * Rejections that delay a message because other work on the domain comes first; `domain-not-renewable` while its
 * last renewal or its expiry is due.
 */
const comesFirst: readonly RejectionCode[] = [
  "renewal-in-flight",
  "change-in-flight",
  "domain-not-renewable",
];

/** @returns false while work on the domain is in progress. */
async function give(
  { commands }: MessageActionOptions,
  { name, registrar, id }: NamedMessage,
  command: DomainRegistryCommand,
): Promise<boolean> {
  const correlationId = registryMessageId(registrar, id);
  const executed = await commands.execute(domainAggregate, name, command, {
    commandId: `${correlationId}/${command.type}`,
    correlationId,
    actor: "process:registry",
  });
  return executed.accepted || !comesFirst.includes(executed.rejection.code);
}

/** A registry that speaks of names which nobody here knows holds something that nobody pays for, or mixes customers up. */
async function requestTicketOfStranger(
  { commands, clock, logger }: MessageActionOptions,
  { name, registrar, id, about, words }: NamedMessage,
): Promise<void> {
  logger.warn({ registrar, messageId: id, domain: name }, "a registry speaks of a name that is not ours");
  const ticket = staffTickets.registryStranger({ name, registrar, messageId: id, about, words });
  await requestStaffTicket({ commands, clock }, ticket, recordedBy);
}
