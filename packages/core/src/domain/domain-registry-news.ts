import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decision } from "../kernel/decider.ts";
import { noRenewals } from "./domain-renewal.ts";
import type { DomainRegistryCommand } from "./domain.commands.ts";
import type {
  DomainDeleted,
  DomainExpiryFollowed,
  DomainRegistryEvent,
  DomainWithheld,
} from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Rules of registry news about our names. Changes and renewals in progress end first. */
export function decideRegistryNews(
  command: DomainRegistryCommand,
  { domainId, accountId, name, ...domain }: RegisteredDomain,
): Decision<Exclude<DomainRegistryEvent, DomainDeleted | DomainWithheld>> {
  const { registrar, at } = command.data;
  const about = { domainId, accountId, name, registrar };
  if (domain.renewal !== null) return reject("renewal-in-flight");
  if (domain.pendingChange !== null) return reject("change-in-flight");
  switch (command.type) {
    case "RecordTransferredAway": {
      const { messageId } = command.data;
      if (messageId === null && !isLeaving(domain))
        return reject("domain-not-active", "The domain is not on its way to another registrar.");
      return accept({ type: "DomainTransferredAway", data: { ...about, messageId, leftAt: at } });
    }
    case "FollowExpiry": {
      const { expiresAt, messageId } = command.data;
      const previousExpiresAt = domain.expiresAt;
      // Registries compare days. An earlier day would take paid time from the customer, so staff decide about it.
      if (expiresAt.slice(0, 10) <= previousExpiresAt.slice(0, 10)) return accept();
      if (domain.expired)
        return reject(
          "domain-not-active",
          "The domain expired without a payment: a renewal by its registry does not revive it.",
        );
      // Registries also renew at expiry. Their renewal must not overtake our paid renewal or our expiry.
      if (at >= previousExpiresAt)
        return reject(
          "domain-not-renewable",
          "A renewal or the expiry of the domain is due and must be done first.",
        );
      const followed = { ...about, messageId, previousExpiresAt, expiresAt, followedAt: at };
      return accept({ type: "DomainExpiryFollowed", data: followed });
    }
    default:
      return assertNever(command);
  }
}

/** Returns true during a transfer away. If the registry withholds the name, the registrar lacks it anyway. */
function isLeaving({ transferring, withheld }: Pick<RegisteredDomain, "transferring" | "withheld">): boolean {
  return transferring && !withheld;
}

/** Applies the registry's own renewal. @throws CorruptStreamError if a renewal is in progress. */
export function evolveFollowed(
  state: RegisteredDomain,
  { type, data: { expiresAt } }: DomainExpiryFollowed,
): RegisteredDomain {
  const { ended } = state.renewals;
  if (state.renewal !== null) throw new CorruptStreamError(type, "renewing");
  return { ...state, expiresAt, renewals: { ...noRenewals, ended } };
}
