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

/** What the registry says of a name of ours. Work in progress on it comes to its end first. */
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
      // Registries compare days. An earlier day would take from the customer what was paid for: a person looks at that.
      if (expiresAt.slice(0, 10) <= previousExpiresAt.slice(0, 10)) return accept();
      if (domain.expired)
        return reject("domain-not-active", "What nobody renewed is not given away because its registry did.");
      // Registries renew at this very moment, too: they must not be faster than what is paid for it, or ends it.
      if (at >= previousExpiresAt)
        return reject("domain-not-renewable", "The domain's own renewal, or its expiry, comes first.");
      const followed = { ...about, messageId, previousExpiresAt, expiresAt, followedAt: at };
      return accept({ type: "DomainExpiryFollowed", data: followed });
    }
    default:
      return assertNever(command);
  }
}

/** True of a domain that staff have on its way. One that is withheld is held by nobody in any case. */
function isLeaving({ transferring, withheld }: Pick<RegisteredDomain, "transferring" | "withheld">): boolean {
  return transferring && !withheld;
}

/** What the registry's own renewal makes of a domain: what was tried for the old day is over. @throws CorruptStreamError */
export function evolveFollowed(
  state: RegisteredDomain,
  { type, data: { expiresAt } }: DomainExpiryFollowed,
): RegisteredDomain {
  const { ended } = state.renewals;
  if (state.renewal !== null) throw new CorruptStreamError(type, "renewing");
  return { ...state, expiresAt, renewals: { ...noRenewals, ended } };
}
